"""Templates of tags and chunk labels that are decided together.

One template per line: the output that it is for, `tag` or `chunk`, and what it reads, taken together:

    tag word[0]                      a tag with the current word, as in templates of tokens (`templates.py`)
    tag tag[-2] tag[-1]              a tag with the two tags before
    tag tag[-1] suffix3[0]           a tag with the tag before and the ending of the word
    tag chunk[-1]                    a tag with the chunk label before
    chunk word[-1] word[0]           a chunk label with two words
    chunk tag[0]                     a chunk label with the tag of its word
    chunk chunk[-1] tag[-1] tag[0]   a chunk label with the one before and two tags
    chunk tag[0] tag[1]              the same with the tag ahead: for look-ahead only

`tag[...]` and `chunk[...]` are outputs, as they were decided; input columns are `word` (column 0), `x1`, `x2`, …
With look-ahead, an operator of the search gives a tag and the chunk label of the word before. `#` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from riata._core import JointTemplates, most_joint_back
from riata.data.pairs import split_column
from riata.data.types import Corpus
from riata.errors import RiataError, TemplateError, UnknownNameError
from riata.features.attributes import Attribute
from riata.features.compile import AttributeOf, Features, Program, family_of
from riata.features.dictionary import TagDictionary
from riata.features.lists import WordList
from riata.features.templates import NUMBER, Template, own_template, parse_lines

OUTPUTS = ("tag", "chunk")
MOST_BACK = most_joint_back - 1  # how far back outputs are read; with look-ahead, tags are one operator further back
_OUTPUT = re.compile(rf"(?P<output>{'|'.join(OUTPUTS)})\[(?P<offset>[+-]?[0-9]{{1,3}})\]")


@dataclass(frozen=True)
class JointTemplate(Template):
    """A template for one output, with the offsets of the outputs that it reads."""

    output: str = "tag"
    tags: tuple[int, ...] = ()  # sorted
    chunks: tuple[int, ...] = ()

    def __str__(self) -> str:
        outputs = [f"tag[{offset}]" for offset in self.tags] + [f"chunk[{offset}]" for offset in self.chunks]
        reads = [f"x1[{r.offset}]" if (r.attribute, r.column) == ("identity", 1) else str(r) for r in self.reads]
        return " ".join((self.output, *outputs, *reads))


def parse(text: str, name: str = "<template>") -> tuple[JointTemplate, ...]:
    """The templates of a text; TemplateError names the line."""
    return parse_lines(text, name, _template)


def _template(parts: Sequence[str]) -> JointTemplate:
    output = parts[0]
    if output not in OUTPUTS:
        unknown = UnknownNameError.of("output", output, OUTPUTS)
        raise TemplateError(unknown.message, remedy="A line says first what it is for: 'tag word[0]', 'chunk tag[0]'.")
    read = [match for part in parts[1:] if (match := _OUTPUT.fullmatch(part))]
    offsets = {name: tuple(sorted({int(m["offset"]) for m in read if m["output"] == name})) for name in OUTPUTS}
    plain = own_template([part for part in parts[1:] if not _OUTPUT.fullmatch(part)])
    template = JointTemplate(plain.reads, False, (), output=output, tags=offsets["tag"], chunks=offsets["chunk"])
    _check(template, plain)
    return template


def _check(template: JointTemplate, plain: Template) -> None:
    if plain.edge or plain.labels:
        raise TemplateError(f"'{template}': labels are read as tag[...] and chunk[...] here.")
    if any(read.attribute == NUMBER for read in template.reads):
        raise TemplateError(f"'{template}': tags and chunk labels have no use for number(...).")
    if not (template.reads or template.tags or template.chunks):
        raise TemplateError(f"'{template}' reads nothing.", remedy=f"Write '{template} bias[0]' for the label alone.")
    nearest = {"tag": -1, "chunk": 1 if template.output == "chunk" else -1}
    for name, offsets, last in (("tag", template.tags, nearest[template.output]), ("chunk", template.chunks, -1)):
        if offsets and not -MOST_BACK <= offsets[0] <= offsets[-1] <= last:
            wrong = offsets[-1] if offsets[-1] > last else offsets[0]
            raise TemplateError(
                f"'{template}' reads {name}[{wrong}], which is not decided by then or too far back.",
                remedy=f"A line for {template.output} reads {name}[-{MOST_BACK}] to {name}[{last}].",
            )


def misfit(template: JointTemplate, ahead: bool) -> RiataError | None:
    """Why a template cannot be used with or without look-ahead; None if it can."""
    error = None
    if not ahead and template.tags and template.tags[-1] > 0:
        error = TemplateError(
            f"'{template}' reads tag[1], which is decided before the chunk label only with look-ahead.",
            remedy="Set lookahead=true, or leave out the line.",
        )
    if ahead and template.output == "tag" and template.chunks and template.chunks[-1] == -1:
        error = TemplateError(
            f"'{template}' reads chunk[-1], which with look-ahead is decided together with the tag, not before it.",
            remedy="Write a line for chunk that reads tag[1], or set lookahead=false.",
        )
    return error if error is None or template.place is None else error.located(*template.place)


# Number of the output, family or -1, offset, tags and chunk labels back.
Slot = tuple[int, int, int, list[int], list[int]]


@dataclass(frozen=True)
class JointProgram:
    """What the core needs to know about a set of templates. The families of n-grams are those of `program`."""

    program: Program
    slots: tuple[tuple[JointTemplate, int, int], ...]  # template, family or -1, offset of its first position

    def native(self, ahead: bool) -> list[Slot]:
        """The slots, with outputs counted in operators back: 0 is the tag that the present operator gives."""
        found: list[Slot] = []
        for template, family, offset in self.slots:
            for_chunk = template.output == "chunk"
            tags = sorted((ahead and for_chunk) - k for k in template.tags)
            chunks = sorted(-k - (ahead and not for_chunk) for k in template.chunks)
            found.append((OUTPUTS.index(template.output), family, offset, tags, chunks))
        return found


def compile_joint(templates: Iterable[JointTemplate]) -> JointProgram:
    attributes: dict[AttributeOf, int] = {}
    families: dict[tuple[int, int, int], int] = {}
    slots: list[tuple[JointTemplate, int, int]] = []
    for template in templates:
        first = template.reads[0].offset if template.reads else 0
        slots.append((template, family_of(template.reads, attributes, families), first))
    program = Program(
        attributes=tuple(attributes),
        families=tuple(families),
        other_reads=tuple(sorted({(family, offset) for _, family, offset in slots if family >= 0})),
    )
    return JointProgram(program, tuple(slots))


class JointFeatures(Features):
    """A set of templates of tags and chunk labels with everything it has seen, and the tags that words were seen with."""

    templates: tuple[JointTemplate, ...]
    joint: JointProgram
    dictionary: TagDictionary

    def __init__(
        self,
        templates: Sequence[JointTemplate],
        functions: Mapping[str, Attribute],
        lists: Mapping[str, WordList] | None,
        ahead: bool,
        dictionary: TagDictionary,
    ) -> None:
        super().__init__(templates, functions, lists)
        self.ahead = ahead
        self.dictionary = dictionary
        for template in self.templates:
            error = misfit(template, ahead)
            if error is not None:
                raise error

    def compiled(self) -> Program:
        self.joint = compile_joint(self.templates)
        return self.joint.program

    @cached_property
    def native(self) -> JointTemplates:
        """The templates as the core takes them."""
        return JointTemplates(self.index, self.joint.native(self.ahead))

    def _empty_twin(self) -> JointFeatures:
        return JointFeatures(self.templates, self.functions, self.lists, self.ahead, self.dictionary)

    def count_tags(self, data: Corpus) -> None:
        """Counts the tags of the words of training data, whose last column contains pairs."""
        tags, _ = split_column(data.columns[-1])
        at = {tag: i for i, tag in enumerate(self.dictionary.tags)}
        table = np.array([at.get(tag, -1) for tag in tags.alphabet.texts()], np.int32)
        self.dictionary = self.dictionary.with_counts(data.columns[0], table[tags.ids])
