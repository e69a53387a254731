"""Templates of dependency arcs, from a head to a child.

One template per line: what it scores, `arc` or `relation`, and what it reads, taken together:

    arc head.tag[0] child.tag[0]              the tags of head and child
    arc head.word[0] child.word[0] direction  their words, and whether the head is on the left or on the right
    arc head.tag[0] child.tag[0] distance     the same with the direction and the distance: 1, 2, 3, 4, 5 to 10, more
    arc head.tag[0] head.tag[1] child.tag[0]  with the tag after the head
    arc head.tag[0] between.tag[0] child.tag[0]  with each of the tags between them
    relation child.word[0]                    the relation, by the word of the child
    sibling head.tag[0] sibling.tag[0] child.tag[0]  head, child, and the child beside it on the way to the head; the first one has none

An `arc` or `sibling` line has one weight for whatever it reads, a `relation` line one for each relation; what is `between` is for arcs
alone. The distance of a `sibling` line is that between child and sibling, or to the head if there is no sibling.
Attributes and columns are those of templates of tokens (`templates.py`): `word` is column 0, `tag` column 1, `x2` column 2. The root
reads as the token before the first one. `#` starts a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from riata._core import ArcTemplates, boundary_reach
from riata.errors import TemplateError, UnknownNameError
from riata.features.compile import AttributeOf, Features, Program, family_of
from riata.features.templates import NUMBER, Read, Template, own_template, parse_lines

SCORED = ("arc", "relation", "sibling")
SIDES = ("head", "child", "between", "sibling")
WAYS = ("", "direction", "distance")  # in the order of ArcContext (native/features/arc_templates.hpp)
WAY_SIZES = ((1, 1), (2, 2), (4, 12))  # the bit of each way among those of a group, and how many numbers it has


@dataclass(frozen=True)
class ArcTemplate(Template):
    """A template of arcs, relations or siblings. reads: all that it reads, on every side."""

    scored: str = "arc"
    head: tuple[Read, ...] = ()
    child: tuple[Read, ...] = ()
    between: tuple[Read, ...] = ()
    way: str = ""
    sibling: tuple[Read, ...] = ()

    def __str__(self) -> str:
        sides = zip(SIDES, (self.head, self.child, self.between, self.sibling), strict=True)
        parts = [f"{side}.{read}" for side, reads in sides for read in reads]
        return " ".join([self.scored, *parts, *([self.way] if self.way else [])])


def parse(text: str, name: str = "<template>") -> tuple[ArcTemplate, ...]:
    """The templates of a text; TemplateError names the line."""
    return parse_lines(text, name, _template)


def _template(parts: Sequence[str]) -> ArcTemplate:
    scored = parts[0]
    if scored not in SCORED:
        unknown = UnknownNameError.of("kind of line", scored, SCORED)
        raise TemplateError(
            unknown.message, remedy="A line says first what it scores: 'arc head.word[0]', 'relation child.tag[0]'."
        )
    ways = [part for part in parts[1:] if part in WAYS]
    if len(ways) > 1:
        raise TemplateError(f"a line has {ways[0]} or {ways[1]}, not both.", remedy="Distances include the direction.")
    sides: dict[str, list[str]] = {side: [] for side in SIDES}
    for part in parts[1:]:
        side, dot, read = part.partition(".")
        if part in WAYS:
            continue
        if side not in SIDES or not dot:
            raise TemplateError(
                f"cannot read {part!r}; expected a side and an attribute, such as head.word[0], child.tag[-1] or between.tag[0].",
                remedy="direction and distance stand alone.",
            )
        sides[side].append(read)
    plain = {side: own_template(reads) for side, reads in sides.items()}
    of_sides = {side: template.reads for side, template in plain.items()}
    reads = tuple(sorted({read for side in of_sides.values() for read in side}))
    way = ways[0] if ways else ""
    head, child, between, sibling = of_sides.values()
    made = ArcTemplate(reads, scored=scored, head=head, child=child, between=between, way=way, sibling=sibling)
    _check(made, plain.values())
    return made


def _check(template: ArcTemplate, sides: Iterable[Template]) -> None:
    if any(side.edge or side.labels for side in sides):
        raise TemplateError(f"'{template}': arcs have no labels before them.", remedy="Leave out edge and label[...].")
    if any(read.attribute == NUMBER for read in template.reads):
        raise TemplateError(f"'{template}': arcs have no use for number(...).")
    if template.between and (len(template.between) > 1 or template.between[0].offset or template.scored != "arc"):
        raise TemplateError(
            f"'{template}': what is between is one attribute of the tokens themselves, for arcs.",
            remedy="Write one between.NAME[0] in a line for arc.",
        )
    if bool(template.sibling) != (template.scored == "sibling"):
        raise TemplateError(
            f"'{template}': lines for sibling read the sibling, and no others do.",
            remedy="Write 'sibling sibling.tag[0] child.tag[0]', for example.",
        )
    if any(read.offset <= -boundary_reach for read in template.head):
        raise TemplateError(
            f"'{template}' reads {boundary_reach} tokens before a head, which may be the root.",
            remedy=f"Offsets of heads go from {1 - boundary_reach} to {boundary_reach}.",
        )


# head, child: family and offset; between; relation?; contexts; sibling: family and offset
Group = tuple[tuple[int, int], tuple[int, int], int, bool, int, tuple[int, int]]


def has_pairs(group: Group) -> bool:
    """Whether blocks of a group are found by pairs of n-grams and a third number: a value between, or a sibling (-1: none)."""
    return group[2] >= 0 or group[5][0] >= 0


def block_sizes(groups: Sequence[Group]) -> NDArray[np.int64]:
    """[groups] How many numbers a block has: one weight each, or one row of relations."""
    return np.array([sum(size for bit, size in WAY_SIZES if group[4] & bit) for group in groups], np.int64)


@dataclass(frozen=True)
class ArcProgram:
    """What the core needs to know about a set of templates: templates that read the same n-grams form a group."""

    program: Program
    groups: tuple[Group, ...]
    members: tuple[tuple[ArcTemplate, ...], ...]  # [groups] in the order of the ways


def compile_arcs(templates: Iterable[ArcTemplate]) -> ArcProgram:
    attributes: dict[AttributeOf, int] = {}
    families: dict[tuple[int, int, int], int] = {}
    reads: set[tuple[int, int]] = set()
    grouped: dict[tuple[tuple[int, int], tuple[int, int], int, bool, tuple[int, int]], list[ArcTemplate]] = {}
    for template in templates:
        sides = [
            (family_of(side, attributes, families), side[0].offset if side else 0)
            for side in (template.head, template.child, template.between, template.sibling)
        ]
        head, child, (between, _), sibling = sides
        reads |= {side for side in sides if side[0] >= 0} | ({(head[0], head[1] - 1)} if head[0] >= 0 else set())
        grouped.setdefault((head, child, between, template.scored == "relation", sibling), []).append(template)
    members = tuple(tuple(sorted(group, key=lambda one: WAYS.index(one.way))) for group in grouped.values())
    program = Program(attributes=tuple(attributes), families=tuple(families), other_reads=tuple(sorted(reads)))
    contexts = [sum(1 << WAYS.index(one.way) for one in group) for group in members]
    groups = tuple((*key[:4], number, key[4]) for key, number in zip(grouped, contexts, strict=True))
    return ArcProgram(program, groups, members)


class ArcFeatures(Features):
    """A set of templates of arcs with everything it has seen."""

    templates: tuple[ArcTemplate, ...]
    arcs: ArcProgram

    def compiled(self) -> Program:
        self.arcs = compile_arcs(self.templates)
        return self.arcs.program

    @cached_property
    def native(self) -> ArcTemplates:
        """The templates as the core takes them."""
        return ArcTemplates(self.index, list(self.arcs.groups))
