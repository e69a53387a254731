"""Templates of the states of a parser that builds dependency trees by moves.

One template per line: what it reads, taken together. A read is an attribute at a place of the state:

    word[s0]                      the word on top of the stack; s1, s2, s3 lie below it
    tag[s0] tag[b0]               with the tag of the next token; b1, b2, b3 come after it
    word[s0-1]                    the word before that on top of the stack, in the sentence
    tag[p0] tag[p1]               the two tokens before the first that has never been pushed
    tag[s0.l] tag[s0.l2]          its leftmost and second leftmost child, as far as they are attached; s0.r and s0.r2 to the right
    tag[s0.h] tag[s0.h2]          its head and the head of that, if it has them already (arc-eager)
    relation[s0.l]                the relation of a token to its head
    lefts[s0] rights[s0]          how many children it has on each side
    leftset[s0] rightset[s0]      the relations of these children
    distance[s0,b0]               how far two places are apart: 1, 2, 3, 4, 5 to 10, more
    likely[b0]                    where tags are chosen while parsing: the tags that the tagger finds likely, the best first

A template is a feature only where all its places exist. It reads up to four parts: all attributes of one place are one part, and so is
each of the other values. Attributes and columns are those of templates of tokens (`templates.py`): `word` is column 0, `tag` column 1, `x2`
column 2. `#` starts a comment.

Where tags are chosen while parsing, the last column is read as it was chosen, and of tokens to come as the tagger tags them. It is then a
part of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from riata._core import (
    Instances,
    TransitionTemplates,
    most_transition_parts,
    most_transition_templates,
    parser_depth,
    parser_past,
)
from riata.data.types import Corpus
from riata.errors import TemplateError
from riata.features.attributes import Attribute
from riata.features.compile import AttributeOf, Features, Program, family_of
from riata.features.likely_tags import ChosenTags
from riata.features.lists import WordList
from riata.features.templates import Read, Template, own_template, parse_lines

CHOSEN = "chosen"  # a tag that was chosen; lines name its column
# As ParserPart::Kind; "": an n-gram.
KINDS = ("", "relation", "lefts", "rights", "leftset", "rightset", "distance", CHOSEN)
LIKELY = "likely"  # the n-gram of all tags that are likely
HOPS = ("", "l", "l2", "r", "r2", "h", "h2")  # as ParserPlace::Hop
DISTANCE = "distance"
TAG = Read(0, 1, "identity")  # by which relations are restricted
_PLACE = re.compile(rf"(?P<base>[sb][0-{parser_depth - 1}]|p[0-{parser_past - 1}])(\.(?P<hop>[lr]2?|h2?))?")
_OTHERS = frozenset({*KINDS[1:], LIKELY} - {CHOSEN})
_READ = re.compile(r"(?P<name>[A-Za-z_]\w*(\(\w+\))?)\[(?P<place>[^\[\]+-]+)(?P<offset>[+-][0-9]+)?\]")


class TemplatePart(NamedTuple):
    """One value of a state: attributes of a place taken together, or a value of another kind."""

    place: str
    kind: str = ""
    reads: tuple[Read, ...] = ()  # of a place, with offsets from it
    other: str = ""  # the second place of a distance

    def __str__(self) -> str:
        if self.kind and self.kind != CHOSEN:
            return f"{self.kind}[{self.place}{',' if self.other else ''}{self.other}]"
        return " ".join(
            f"{name_of(read)}[{self.place}{f'{read.offset:+d}' if read.offset else ''}]" for read in self.reads
        )


def name_of(read: Read) -> str:
    """An attribute without its offset."""
    return str(read).rpartition("[")[0]


@dataclass(frozen=True)
class TransitionTemplate(Template):
    parts: tuple[TemplatePart, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.parts))


def parse(text: str, name: str = "<template>") -> tuple[TransitionTemplate, ...]:
    """The templates of a text; TemplateError names the line."""
    return parse_lines(text, name, _template)


def _template(lines: Sequence[str]) -> TransitionTemplate:
    at: dict[str, list[str]] = {}  # by place, in order
    others: list[TemplatePart] = []
    for text in lines:
        match = _READ.fullmatch(text)
        if match is None:
            raise _unreadable(text)
        name, place, offset = match["name"], match["place"], match["offset"]
        if name in _OTHERS:
            others.append(_other(text, name, place, offset))
        else:
            at.setdefault(_checked(text, place), []).append(f"{name}[{offset or 0}]")
    parts = [TemplatePart(place, "", _reads(reads)) for place, reads in at.items()]
    parts += [part for i, part in enumerate(others) if part not in others[:i]]
    _check_number(parts)
    reads = tuple(sorted({read for part in parts for read in part.reads}))
    return TransitionTemplate(reads, parts=tuple(parts))


def _check_number(parts: Sequence[TemplatePart], note: str = "") -> None:
    if len(parts) > most_transition_parts:
        raise TemplateError(
            f"'{' '.join(map(str, parts))}' has {len(parts)} parts{note}; expected at most {most_transition_parts}.",
            remedy="All attributes of one place are one part; leave out a place or another value.",
        )


def with_chosen(template: TransitionTemplate, column: int) -> TransitionTemplate:
    """The template with chosen tags, of this column, as parts of their own."""
    tag = Read(0, column, "identity")
    parts: list[TemplatePart] = []
    for part in template.parts:
        left = tuple(read for read in part.reads if read != tag)
        parts += [part._replace(reads=left)] if left or part.kind else []
        parts += [TemplatePart(part.place, CHOSEN, (tag,))] if len(left) < len(part.reads) else []
    _check_number(parts, ", since tags are chosen while parsing")
    return TransitionTemplate(template.reads, parts=tuple(parts))


def _reads(reads: Sequence[str]) -> tuple[Read, ...]:
    plain = own_template(reads)
    if plain.edge or plain.labels or plain.is_number:
        raise TemplateError(f"'{plain}': states of a parser have no {'numbers' if plain.is_number else 'labels'}.")
    return plain.reads


def _other(text: str, kind: str, place: str, offset: str | None) -> TemplatePart:
    first, comma, second = place.partition(",")
    if offset is not None or bool(comma) != (kind == DISTANCE):
        raise _unreadable(text)
    if place[0] == "p" and kind not in (DISTANCE, LIKELY):
        raise TemplateError(f"{text!r}: of p0 and p1, only what they are is read, not what is attached to them.")
    return TemplatePart(_checked(text, first), kind, (), _checked(text, second) if comma else "")


def _checked(text: str, place: str) -> str:
    match = _PLACE.fullmatch(place)
    if match is None or (match["hop"] and not _has(place[0], int(place[1]), match["hop"])):
        last = parser_depth - 1
        raise TemplateError(
            f"{text!r}: {place!r} is no place of a state.",
            remedy=f"Places are s0 to s{last} with .l .l2 .r .r2, s0 to s{last - 1} with .h, s0 to s{last - 2} with .h2, b0 with .l .l2, "
            f"b1 to b{last}, and p0 to p{parser_past - 1}.",
        )
    return place


def _has(side: str, number: int, hop: str) -> bool:
    """Whether a token of the stack or of those to come has such a child or head."""
    if side != "s":
        return side == "b" and number == 0 and hop[0] == "l"
    return hop[0] != "h" or number + (2 if hop == "h2" else 1) < parser_depth


def _unreadable(text: str) -> TemplateError:
    return TemplateError(
        f"cannot read {text!r}; expected an attribute at a place, such as word[s0], tag[b1], relation[s0.l] or distance[s0,b0]."
    )


@dataclass(frozen=True)
class TransitionProgram:
    """What the core needs to know about a set of templates."""

    program: Program
    places: tuple[tuple[int, int], ...]
    parts: tuple[tuple[int, int, int, int], ...]  # kind, place, family or other place, offset
    templates: tuple[tuple[int, ...], ...]  # numbers of parts
    tag_family: int  # -1: there are no tags
    sources: tuple[TransitionTemplate, ...]  # templates with the parts as they are numbered


def compile_transitions(
    templates: Sequence[TransitionTemplate], *, tags: bool, chosen: int | None = None
) -> TransitionProgram:
    """chosen: the column of tags that are chosen while parsing, if they are; what is likely is then the column after it."""
    attributes: dict[AttributeOf, int] = {}
    families: dict[tuple[int, int, int], int] = {}
    places: dict[tuple[int, int], int] = {}
    parts: dict[tuple[int, int, int, int], int] = {}
    reads: set[tuple[int, int]] = set()
    read_by: list[tuple[int, ...]] = []

    def number(place: str) -> int:
        base, _, hop = place.partition(".")
        key = (int(base[1]) + parser_depth * "sbp".index(base[0]), HOPS.index(hop))
        return places.setdefault(key, len(places))

    def native(part: TemplatePart) -> tuple[int, int, int, int]:
        if part.kind == LIKELY:
            family = family_of((Read(0, _likely_column(part, chosen), "identity"),), attributes, families)
            reads.add((family, 0))
            return 0, number(part.place), family, 0
        if part.kind:
            other = number(part.other) if part.other else -1
            return KINDS.index(part.kind), number(part.place), other, 0
        family, offset = family_of(part.reads, attributes, families), part.reads[0].offset
        reads.add((family, offset))
        return 0, number(part.place), family, offset

    sources = tuple(templates) if chosen is None else tuple(with_chosen(one, chosen) for one in templates)
    for template in sources:
        read_by.append(tuple(parts.setdefault(native(part), len(parts)) for part in template.parts))
    tag_family = family_of((TAG,), attributes, families) if tags else -1
    reads |= {(tag_family, 0)} if tags else set()
    program = Program(attributes=tuple(attributes), families=tuple(families), other_reads=tuple(sorted(reads)))
    return TransitionProgram(program, tuple(places), tuple(parts), tuple(read_by), tag_family, sources)


def _likely_column(part: TemplatePart, chosen: int | None) -> int:
    if chosen is None:
        raise TemplateError(
            f"'{part}' reads the tags that are likely, but no tags are chosen while parsing.",
            remedy="Leave out the line, or train with tags='joint'.",
        )
    return chosen + 1


class TransitionFeatures(Features):
    """A set of templates of parser states with everything it has seen. tags: whether there is a column of tags. chosen: tags that are
    chosen while parsing; None: there are none.
    """

    templates: tuple[TransitionTemplate, ...]
    states: TransitionProgram

    def __init__(
        self,
        templates: Sequence[TransitionTemplate],
        functions: Mapping[str, Attribute],
        lists: Mapping[str, WordList] | None,
        tags: bool,
        chosen: ChosenTags | None = None,
    ) -> None:
        if len(templates) > most_transition_templates:
            raise TemplateError(
                f"there are {len(templates):,} templates; expected at most {most_transition_templates}.",
                remedy="Use a smaller set.",
            )
        self.tags, self.chosen, self.made = tags, chosen, int(chosen is not None)
        super().__init__(templates, functions, lists)

    def compiled(self) -> Program:
        column = None if self.chosen is None else self.chosen.column
        self.states = compile_transitions(self.templates, tags=self.tags, chosen=column)
        return self.states.program

    @cached_property
    def native(self) -> TransitionTemplates:
        """The templates as the core takes them."""
        states = self.states
        return TransitionTemplates(
            self.index, list(states.places), list(states.parts), [list(parts) for parts in states.templates]
        )

    def _empty_twin(self) -> TransitionFeatures:
        return TransitionFeatures(self.templates, self.functions, self.lists, self.tags, self.chosen)

    def extend(self, corpus: Corpus, cutoff: int = 1, threads: int = 1) -> Instances:
        return super().extend(corpus if self.chosen is None else self.chosen.apart(corpus), cutoff, threads)

    def instances(self, corpus: Corpus, threads: int = 1) -> Instances:
        return super().instances(corpus if self.chosen is None else self.chosen.apart(corpus), threads)

    def limited(self, instances: Instances, corpus: Corpus) -> Instances:
        """The same instances, with the tags that every token may have."""
        return instances if self.chosen is None else self.chosen.with_choices(instances, corpus)
