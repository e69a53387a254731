"""Templates of segments: what an operator that appends a labelled segment can see.

One template per line: a role, and reads as in templates of tokens (`templates.py`), that are taken together:

    first word[0]             the first word of the segment; first word[-1] is the word before it
    last tag[0]               its last tag; last tag[1] is the tag after it
    inside word[0]            every word of it
    inside tag[0] tag[1]      every pair of neighbouring tags in it
    sequence tag[0]           all its tags, as one feature
    around tag[0]             all its tags with the one before and the one after
    length                    of how many tokens it is
    label[-1]                 the label of the segment before
    label[-2] label[-1]       the labels of the two before
    label[-1] first tag[0]    the label of the segment before with the first tag
    label[-1] length[-1]      the label of the segment before with its length
    previous tag[0]           the first tag of the segment before; it too can stand with label[...] and length[-1]

All are features of the segment's own label. `#` starts a comment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from riata._core import SegmentTemplates, boundary_reach
from riata.errors import TemplateError, UnknownNameError
from riata.features.compile import AttributeOf, Features, Program, family_of
from riata.features.templates import (
    LABEL,
    NUMBER,
    SEGMENT_ROLES,
    Template,
    own_template,
    parse_lines,
)

ANCHORED = ("first", "last", "inside")  # in the order of their numbers in the core
SEQUENCES = {"sequence": 0, "around": 1}  # number of tokens on either side
LENGTH = "length"
LENGTH_BEFORE = "length[-1]"
PREVIOUS = "previous"
MOST_LABELS_BACK = 2


@dataclass(frozen=True)
class SegmentTemplate(Template):
    """A template with the role of its reads in the segment; the role is empty if it only reads earlier segments."""

    role: str = ""
    length_before: bool = False

    def __str__(self) -> str:
        back = [f"{LABEL}[{offset}]" for offset in self.labels] + [LENGTH_BEFORE] * self.length_before
        return " ".join((*back, *([self.role] if self.role else []), *map(str, self.reads)))

    @property
    def looks_back(self) -> bool:
        """Whether it reads earlier segments, which are known only during the search."""
        return bool(self.labels) or self.length_before or self.role == PREVIOUS

    @property
    def exact(self) -> bool:
        """Whether exact search distinguishes everything that it reads (native/inference/exact/semi_markov.hpp)."""
        return not (self.length_before or self.role == PREVIOUS or any(offset < -1 for offset in self.labels))


def parse(text: str, name: str = "<template>") -> tuple[SegmentTemplate, ...]:
    """The templates of a text; TemplateError names the line."""
    return parse_lines(text, name, _template)


def _template(parts: Sequence[str]) -> SegmentTemplate:
    length_before = LENGTH_BEFORE in parts
    parts = [part for part in parts if part != LENGTH_BEFORE]
    roles = [part for part in parts if "[" not in part]
    if len(roles) > 1:
        raise TemplateError(f"'{' '.join(parts)}' has more than one role: {', '.join(roles)}.")
    role = roles[0] if roles else ""
    if role and role not in SEGMENT_ROLES:
        unknown = UnknownNameError.of("role", role, SEGMENT_ROLES)
        raise TemplateError(unknown.message, remedy=f"Roles are {', '.join(SEGMENT_ROLES)}.")
    plain = own_template([part for part in parts if part != role])
    template = SegmentTemplate(plain.reads, False, plain.labels, role=role, length_before=length_before)
    _check(template)
    return _from_zero(template) if role == "inside" else template


def _check(template: SegmentTemplate) -> None:
    role, reads, labels = template.role, template.reads, template.labels
    if any(read.attribute == NUMBER for read in reads):
        raise TemplateError(f"'{template}': segments have no use for number(...).")
    if (role in ("", LENGTH)) != (not reads):
        missing = "reads nothing" if not reads else "has no role" if not role else "reads attributes"
        raise TemplateError(
            f"'{template}' {missing}.", remedy="Write a role and reads, such as 'inside word[0]'; length stands alone."
        )
    if role in SEQUENCES and any(read.offset for read in reads):
        raise TemplateError(f"'{template}': {role} reads every token of the segment at [0].")
    if role == "inside" and reads[-1].offset - reads[0].offset > boundary_reach:
        raise TemplateError(
            f"'{template}' reads tokens that are {reads[-1].offset - reads[0].offset} apart.",
            remedy=f"A line of the role inside reads tokens that are at most {boundary_reach} apart.",
        )
    if role == PREVIOUS and reads[0].offset == -boundary_reach:
        raise TemplateError(
            f"'{template}': offset {-boundary_reach} is out of range.",
            remedy=f"Offsets of the role {PREVIOUS} go from {1 - boundary_reach} to {boundary_reach}.",
        )
    if labels and labels[0] < -MOST_LABELS_BACK:
        raise TemplateError(
            f"'{template}' reads label[{labels[0]}].", remedy=f"Segments read back to label[-{MOST_LABELS_BACK}]."
        )
    if (labels or template.length_before) and role not in ("", "first", PREVIOUS):
        raise TemplateError(
            f"'{template}': label[...] and length[-1] go with the roles first and {PREVIOUS}, or stand alone."
        )


def _from_zero(template: SegmentTemplate) -> SegmentTemplate:
    """The template with offsets from 0 on: `inside tag[-1] tag[0]` and `inside tag[0] tag[1]` are the same pairs."""
    first = template.reads[0].offset
    return replace(template, reads=tuple(replace(read, offset=read.offset - first) for read in template.reads))


@dataclass(frozen=True)
class SegmentProgram:
    """What the core needs to know about a set of templates. The families of n-grams are those of `program`."""

    program: Program
    anchored: tuple[tuple[int, int, int], ...]  # number of the role, family, offset of its first position
    length: bool
    sequences: tuple[tuple[int, int], ...]  # family, tokens on either side
    # Labels back, length?, family or -1, offset, previous?
    histories: tuple[tuple[tuple[int, ...], bool, int, int, bool], ...]
    slots: tuple[SegmentTemplate, ...]  # in the order in which the core numbers them
    families: tuple[int, ...]  # [slots] -1 if the slot reads no n-gram

    def first_values(self, index_size: Callable[[int], int], longest: int) -> list[int]:
        """For each slot, an upper bound of the first numbers of its features."""
        sizes = [1 if family < 0 else index_size(family) for family in self.families]
        if self.length:
            sizes[len(self.anchored)] = longest + 1
        return sizes

    def code_limits(self, labels: int, longest: int) -> list[int]:
        """For each slot, an upper bound of the numbers made of earlier segments (native/models/segment_weights.hpp)."""
        return [
            (labels + 1) ** len(template.labels) * (longest + 1 if template.length_before else 1)
            for template in self.slots
        ]


def compile_segments(templates: Iterable[SegmentTemplate]) -> SegmentProgram:
    attributes: dict[AttributeOf, int] = {}
    families: dict[tuple[int, int, int], int] = {}
    anchored: dict[tuple[int, int, int], SegmentTemplate] = {}
    length: dict[bool, SegmentTemplate] = {}
    sequences: dict[tuple[int, int], SegmentTemplate] = {}
    histories: dict[tuple[tuple[int, ...], bool, int, int, bool], SegmentTemplate] = {}
    reads: set[tuple[int, int]] = set()  # which n-grams are read, and how far from a token
    for template in templates:
        first = template.reads[0].offset if template.reads else 0
        family, role = family_of(template.reads, attributes, families), template.role
        if template.looks_back:
            back = tuple(-offset for offset in reversed(template.labels))
            histories.setdefault((back, template.length_before, family, first, role == PREVIOUS), template)
            # Before the first segment, the token before the sentence is read.
            reads.add((family, first - (role == PREVIOUS)))
        elif role == LENGTH:
            length.setdefault(True, template)
        elif role in SEQUENCES:
            sequences.setdefault((family, SEQUENCES[role]), template)
            reads |= {(family, -SEQUENCES[role]), (family, SEQUENCES[role])}
        else:
            anchored.setdefault((ANCHORED.index(role), family, first), template)
        reads.add((family, first))
    program = Program(
        attributes=tuple(attributes),
        families=tuple(families),
        other_reads=tuple(sorted((family, offset) for family, offset in reads if family >= 0)),
    )
    of_slots = [*(family for _, family, _ in anchored), *([-1] * len(length)), *(family for family, _ in sequences)]
    of_slots += [family for _, _, family, _, _ in histories]
    slots = (*anchored.values(), *length.values(), *sequences.values(), *histories.values())
    return SegmentProgram(
        program, tuple(anchored), bool(length), tuple(sequences), tuple(histories), slots, tuple(of_slots)
    )


class SegmentFeatures(Features):
    """A set of templates of segments with everything it has seen. Features that are added during learning belong to the weights."""

    templates: tuple[SegmentTemplate, ...]
    segments: SegmentProgram

    def compiled(self) -> Program:
        self.segments = compile_segments(self.templates)
        return self.segments.program

    @cached_property
    def native(self) -> SegmentTemplates:
        """The templates as the core takes them."""
        program = self.segments
        return SegmentTemplates(
            self.index, list(program.anchored), program.length, list(program.sequences), list(program.histories)
        )
