"""Templates of segments: what an operator that appends a labelled segment can see.

One template per line: a role, and reads as in templates of tokens (`templates.py`), that are taken together:

    first word[0]             the first word of the segment; first word[-1] is the word before it
    last tag[0]               its last tag; last tag[1] is the tag after it
    inside word[0]            every word of it
    inside tag[0] tag[1]      every pair of neighbouring tags in it
    sequence tag[0]           all its tags, as one feature
    length                    of how many tokens it is
    label[-1]                 the label of the segment before
    label[-2] label[-1]       the labels of the two before
    label[-1] first tag[0]    the label of the segment before with the first tag

All are features of the segment's own label. `#` starts a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from riata._core import SegmentTemplates
from riata.errors import TemplateError, UnknownNameError
from riata.features.compile import AttributeOf, Features, Program
from riata.features.templates import LABEL, NUMBER, SEGMENT_ROLES, Read, Template, own_template, read_source

ANCHORED = ("first", "last", "inside")  # roles whose n-grams are known before the search
GROWN = ("length", "sequence", "history")  # features that are found while searching
MOST_LABELS_BACK = 2


@dataclass(frozen=True)
class SegmentTemplate(Template):
    """A template with the role of its reads in the segment; empty where it reads labels alone."""

    role: str = ""

    def __str__(self) -> str:
        labels = [f"{LABEL}[{offset}]" for offset in self.labels]
        return " ".join((*labels, *([self.role] if self.role else []), *map(str, self.reads)))


def parse(text: str, name: str = "<template>") -> tuple[SegmentTemplate, ...]:
    """The templates of a text; TemplateError names the line."""
    found: dict[SegmentTemplate, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split("#", 1)[0].split()
        if not parts:
            continue
        try:
            found.setdefault(replace(_template(parts), place=(name, number)))
        except TemplateError as error:
            raise error.located(name, number) from None
    if not found:
        raise TemplateError("the template holds no line that is not blank or a comment.", file=name)
    return tuple(found)


def load(source: str | Path) -> tuple[SegmentTemplate, ...]:
    """Templates by the name of a built-in set, or from a file."""
    return parse(read_source(source, "segments"), str(source))


def _template(parts: Sequence[str]) -> SegmentTemplate:
    roles = [part for part in parts if "[" not in part]
    if len(roles) > 1:
        raise TemplateError(f"'{' '.join(parts)}' has more than one role: {', '.join(roles)}.")
    role = roles[0] if roles else ""
    if role and role not in SEGMENT_ROLES:
        unknown = UnknownNameError.of("role", role, SEGMENT_ROLES)
        raise TemplateError(unknown.message, remedy=f"Roles are {', '.join(SEGMENT_ROLES)}.")
    plain = own_template([part for part in parts if part != role])
    template = SegmentTemplate(plain.reads, False, plain.labels, role=role)
    _check(template)
    return _from_zero(template) if role == "inside" else template


def _check(template: SegmentTemplate) -> None:
    role, reads, labels = template.role, template.reads, template.labels
    if any(read.attribute == NUMBER for read in reads):
        raise TemplateError(f"'{template}': segments have no use for number(...).")
    if (role in ("", "length")) != (not reads):
        missing = "reads nothing" if not reads else "has no role" if not role else "reads attributes"
        raise TemplateError(
            f"'{template}' {missing}.", remedy="Write a role and reads, such as 'inside word[0]'; length stands alone."
        )
    if role == "sequence" and any(read.offset for read in reads):
        raise TemplateError(f"'{template}': a sequence reads every token of the segment at [0].")
    if labels and labels[0] < -MOST_LABELS_BACK:
        raise TemplateError(
            f"'{template}' reads label[{labels[0]}].", remedy=f"Segments read back to label[-{MOST_LABELS_BACK}]."
        )
    if labels and role not in ("", "first"):
        raise TemplateError(f"'{template}': label[...] goes with the role first, or stands alone.")


def _from_zero(template: SegmentTemplate) -> SegmentTemplate:
    """`inside tag[-1] tag[0]` and `inside tag[0] tag[1]` are the same pairs."""
    first = template.reads[0].offset
    return replace(template, reads=tuple(replace(read, offset=read.offset - first) for read in template.reads))


@dataclass(frozen=True)
class SegmentProgram:
    """What the core needs to know of a set of templates. The families of n-grams are those of `program`."""

    program: Program
    anchored: tuple[tuple[int, int, int], ...]  # number of the role, family, offset of its first position
    anchored_templates: tuple[SegmentTemplate, ...]  # [anchored]
    grown: tuple[tuple[int, int, int, tuple[int, ...]], ...]  # number of the kind, family or -1, offset, labels back
    grown_templates: tuple[SegmentTemplate, ...]  # [grown]

    @property
    def order(self) -> int:
        """How many segments back any template reads labels."""
        return max((back[-1] for _, _, _, back in self.grown if back), default=0)


def compile_segments(templates: Iterable[SegmentTemplate]) -> SegmentProgram:
    attributes: dict[AttributeOf, int] = {}
    families: dict[tuple[int, int, int], int] = {}
    anchored: dict[tuple[int, int, int], SegmentTemplate] = {}
    grown: dict[tuple[int, int, int, tuple[int, ...]], SegmentTemplate] = {}
    for template in templates:
        first = template.reads[0].offset if template.reads else 0
        family = _family(template.reads, attributes, families)
        if template.labels:
            back = tuple(-offset for offset in reversed(template.labels))
            grown.setdefault((GROWN.index("history"), family, first, back), template)
        elif template.role in GROWN:
            grown.setdefault((GROWN.index(template.role), family, first, ()), template)
        else:
            anchored.setdefault((ANCHORED.index(template.role), family, first), template)
    reads = {(family, offset) for _, family, offset in anchored} | {(f, o) for _, f, o, _ in grown if f >= 0}
    program = Program(
        attributes=tuple(attributes),
        families=tuple(families),
        reads=(),
        templates=(),
        history=(),
        history_templates=(),
        numbers=(),
        transitions=False,
        other_reads=tuple(sorted(reads)),
    )
    return SegmentProgram(program, tuple(anchored), tuple(anchored.values()), tuple(grown), tuple(grown.values()))


def _family(
    reads: Sequence[Read], attributes: dict[AttributeOf, int], families: dict[tuple[int, int, int], int]
) -> int:
    family = -1
    for read in reads:
        attribute = attributes.setdefault((read.attribute, read.column), len(attributes))
        family = families.setdefault((family, attribute, read.offset - reads[0].offset), len(families))
    return family


class SegmentFeatures(Features):
    """A set of templates of segments with everything it has seen. What grows while learning goes with the weights."""

    templates: tuple[SegmentTemplate, ...]
    segments: SegmentProgram

    def compiled(self) -> Program:
        self.segments = compile_segments(self.templates)
        return self.segments.program

    @property
    def native(self) -> SegmentTemplates:
        """The templates as the core takes them."""
        return SegmentTemplates(self.index, list(self.segments.anchored), list(self.segments.grown))
