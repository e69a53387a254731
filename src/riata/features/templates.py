"""The template language: which attributes, at which offsets, make a feature.

One template per line. A template is one or more reads, `attribute[offset]`, that are taken together:

    word[-1] word[0]        the previous word with the current one
    suffix3[0] tag[1]       three last letters of the word with the next tag
    shape(2)[0]             the shape of column 2 (columns count from 0)
    number(3)[0]            the number in column 3, as the feature's value
    list(city)[0]           where the word stands in an entry of the list city; anycase(city)[0]: in any case
    frequency[0]            how often training saw the word, in classes
    guess[0], sameword[0]   of two passes, what the first says: its label here, and of the same word elsewhere
    edge                    one weight per pair of neighbouring labels
    edge tag[0]             the same for every current tag
    label[-2] label[-1]     the two labels before, as they were decided
    label[-1] word[0]       the label before with the current word
    again word[0]           another feature of the same reads; a third one is again(2) word[0]

Templates that read labels further back than `edge` are for learners that search, which know them.
`word` and `tag` are columns 0 and 1 as they stand, `x2` is column 2; other attributes read column 0 unless they say
otherwise. `#` starts a comment. Template files of CRF++ are read as they are. Repeated lines count once, except in these.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from riata import registry
from riata._core import boundary_reach
from riata.errors import TemplateError, UnknownNameError
from riata.features.attributes import Attribute, identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path


NUMBER = "number"
EXACT, ANY_CASE = "list", "anycase"  # of a list: list(city)[0] and anycase(city)[0]
LABEL = "label"
# Words of the other language, segments.py.
SEGMENT_ROLES = ("first", "last", "inside", "sequence", "around", "length", "previous")
_COLUMN_NAMES = {"word": 0, "tag": 1}
_READ = re.compile(r"(?P<name>[A-Za-z_]\w*)(\((?P<column>\w+)\))?\[(?P<offset>[+-]?[0-9]+)\]")
_MACRO = re.compile(r"%(?P<kind>[xX])\[\s*(?P<offset>[+-]?[0-9]+)\s*,\s*(?P<column>[0-9]+)\s*\]")
_AGAIN = re.compile(r"again(?:\(([1-9][0-9]{0,3})\))?")
_MOST_DIGITS = 9  # digits of an offset or a column
MOST_TIMES = 30  # that a line of CRF++ may be there


@dataclass(frozen=True, order=True)
class Read:
    """An attribute of a column, at an offset from the present token."""

    offset: int
    column: int
    attribute: str

    def __str__(self) -> str:
        if self.attribute == "identity":
            name = {0: "word", 1: "tag"}.get(self.column, f"x{self.column}")
        else:
            own = self.column == 0 or self.attribute in SUMMARIES  # the attribute itself determines the column
            name = self.attribute if own else f"{self.attribute}({self.column})"
        return f"{name}[{self.offset}]"


@dataclass(frozen=True)
class Template:
    """Reads taken together, sorted and without repetition. An edge template scores pairs of neighbouring labels."""

    reads: tuple[Read, ...]
    edge: bool = False
    labels: tuple[int, ...] = ()  # offsets of the earlier labels that it reads, all below 0
    again: int = 0  # how many templates of the same reads come before it
    place: tuple[str, int] | None = field(default=None, compare=False, repr=False)  # file and line, for messages

    @cached_property
    def is_number(self) -> bool:
        return any(read.attribute == NUMBER for read in self.reads)

    def __str__(self) -> str:
        labels = [f"{LABEL}[{offset}]" for offset in self.labels]
        return " ".join([*self.before, *labels, *map(str, self.reads)])

    @property
    def before(self) -> list[str]:
        """The words that stand before what it reads."""
        again = ["again" if self.again == 1 else f"again({self.again})"] if self.again else []
        return again + (["edge"] if self.edge else [])


def parse(text: str, name: str = "<template>") -> tuple[Template, ...]:
    """The templates of a text in Riata's language, or of patterns of CRF++ or Wapiti; TemplateError names the line."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise TemplateError("the template holds no line that is not blank or a comment.", file=name)
    patterns = all(_is_pattern(line) for _, line in lines)
    found: dict[Template, int] = {}  # with how many features of these reads there are
    times: Counter[str] = Counter()
    for number, line in lines:
        try:
            read = _of_pattern(line) if patterns else [_own_line(line)]
            times[line] += 1
            if patterns and times[line] > MOST_TIMES:
                raise TemplateError(
                    f"the line {line!r:.60} is there more than {MOST_TIMES} times.", remedy="Leave some out."
                )
        except TemplateError as error:
            raise error.located(name, number) from None
        for template in read:
            template = replace(template, place=(name, number))
            found[template] = found.get(template, 0) + 2 * times[line] - 1
    return tuple(
        one for template, count in found.items() for one in (_repeated(template, count) if patterns else [template])
    )


def _repeated(template: Template, count: int) -> list[Template]:
    """So many features of the same reads.

    For CRF++, lines with different identifiers are different features, and a line that is there m times is one feature of value m. In
    place of that, there are m² features of value 1: products of feature vectors are the same then, and so is all that depends on them,
    as in learners with an L2 norm.
    """
    if template.edge and not template.reads:
        # There is one matrix of pairs of labels; others read what is always the same.
        same = replace(template, reads=(Read(0, 0, "bias"),))
        return [template, *(replace(same, again=i) for i in range(count - 1))]
    return [replace(template, again=i) for i in range(count)]


def _template(reads: Sequence[Read], edge: bool) -> Template:
    labels = tuple(sorted({read.offset for read in reads if read.attribute == LABEL}))
    ordered = tuple(sorted({read for read in reads if read.attribute != LABEL}))
    for read in ordered:
        if abs(read.offset) > boundary_reach:
            raise TemplateError(
                f"offset {read.offset} is out of range.",
                remedy=f"Offsets go from {-boundary_reach} to {boundary_reach}.",
            )
    template = Template(ordered, edge, labels)
    if labels and not -boundary_reach <= labels[0] <= labels[-1] < 0:
        raise TemplateError(
            f"'{template}': only labels before the token at hand are decided when it is labelled.",
            remedy=f"Labels go from label[-1] to label[-{boundary_reach}].",
        )
    if labels and edge:
        raise TemplateError(
            f"'{template}': edge stands for the label before, and label[...] does not go with it.",
            remedy=f"Write '{Template(ordered, False, tuple(sorted({*labels, -1})))}'.",
        )
    if template.is_number and (edge or labels or len(ordered) > 1):
        raise TemplateError(f"'{template}': number(...) stands alone.", remedy="Give it a line of its own.")
    return template


def _own_line(line: str) -> Template:
    parts = line.split("#", 1)[0].split()
    again = _AGAIN.fullmatch(parts[0])
    template = own_template(parts[again is not None :])
    return template if again is None else replace(template, again=int(again[1] or 1))


def own_template(parts: Sequence[str]) -> Template:
    """The template of a line in Riata's language, split at blanks."""
    edge = parts[:1] == ["edge"]
    return _template([_own_read(part) for part in parts[edge:]], edge)


def _own_read(part: str) -> Read:
    match = _READ.fullmatch(part)
    if part in SEGMENT_ROLES:
        remedy = "Set structure='segments' (--structure segments), or leave out the line."
        raise TemplateError(f"{part!r} is for templates of segments.", remedy=remedy)
    if match is None:
        raise TemplateError(
            f"cannot read {part!r}; expected attribute[offset], such as word[-1], suffix3[0] or shape(2)[1].",
            remedy="Templates of CRF++ and Wapiti start every line with U, B, u, b or *.",
        )
    name, column = match["name"], match["column"]
    if name in (EXACT, ANY_CASE):
        if column is None:
            raise TemplateError(f"{part!r} names no list.", remedy=f"Write {name}(NAME)[{match['offset']}].")
        return Read(whole(match["offset"]), 0, f"{name}({column})")
    if name == LABEL:
        if column is not None:
            raise TemplateError(f"{part!r}: labels have no columns.", remedy=f"Write '{LABEL}[{match['offset']}]'.")
        return Read(whole(match["offset"]), 0, LABEL)
    own_column = _column(name)
    if own_column is not None and column is None:
        return Read(whole(match["offset"]), own_column, "identity")
    if column is not None and _column(column) is None and not (column.isascii() and column.isdecimal()):
        raise TemplateError(f"{part!r}: {column!r} is no column.", remedy="A column is word, tag, or a number from 0.")
    at = 0 if column is None else _column(column)
    return Read(whole(match["offset"]), whole(column or "0") if at is None else at, name)


def _column(name: str) -> int | None:
    if name in _COLUMN_NAMES:
        return _COLUMN_NAMES[name]
    return whole(name[1:]) if re.fullmatch(r"x[0-9]+", name) else None


def whole(digits: str) -> int:
    """A number in a template. A number with too many digits is out of every range, and Python refuses to read some of them."""
    if len(digits.lstrip("+-")) > _MOST_DIGITS:
        raise TemplateError(
            f"the number {digits} is out of range.", remedy=f"Numbers have up to {_MOST_DIGITS} digits."
        )
    return int(digits)


def _is_pattern(line: str) -> bool:
    """Whether a line can be a pattern of CRF++ or Wapiti. A user's attribute may start with U, too, but is written as `Upper[0]`."""
    return line[0] in "UBub*" and not _READ.match(line)


def _of_pattern(line: str) -> list[Template]:
    """Wapiti writes u, b and *, which is both, and %X for the value in lower case."""
    identifier = re.split("[:%]", line, maxsplit=1)[0]
    if re.search(r"[\s\[\]]", identifier):
        raise TemplateError(f"cannot read {line!r}; expected a line such as U05:%x[-1,0]/%x[0,0], or B.")
    rest = _MACRO.sub("", line)
    if "%" in rest:
        raise TemplateError(
            f"cannot read {'%' + rest.split('%', 1)[1]!r}; the only macros are %x[row,column] and %X, for lower case.",
            remedy="What Wapiti's %t and %m find can be a function of the word: attributes={'year': find_year}, year[0].",
        )
    reads = [
        Read(whole(m["offset"]), whole(m["column"]), "identity" if m["kind"] == "x" else "asciilower")
        for m in _MACRO.finditer(line)
    ]
    edges = {"U": (False,), "B": (True,), "*": (False, True)}[line[0].upper()]
    return [_template(reads if reads or edge else [Read(0, 0, "bias")], edge) for edge in edges]


def load(source: str | Path) -> tuple[Template, ...]:
    """Templates by the name of a built-in set, or from a file."""
    return parse(read_source(source, "template"), str(source))


AnyTemplate = TypeVar("AnyTemplate", bound=Template)


def parse_lines(text: str, name: str, template: Callable[[list[str]], AnyTemplate]) -> tuple[AnyTemplate, ...]:
    """The templates of a text, one per line, made from the parts of the line; TemplateError names the line."""
    found: dict[AnyTemplate, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split("#", 1)[0].split()
        if not parts:
            continue
        try:
            found.setdefault(replace(template(parts), place=(name, number)))
        except TemplateError as error:
            raise error.located(name, number) from None
    if not found:
        raise TemplateError("the template holds no line that is not blank or a comment.", file=name)
    return tuple(found)


def fitting(templates: Sequence[Template], width: int) -> tuple[Template, ...]:
    """The templates that only read columns that the data have: how a built-in template adapts to its data."""
    return tuple(t for t in templates if all(read.column < width for read in t.reads))


def check(templates: Sequence[Template], width: int, known: Callable[[str], bool], attributes: Iterable[str]) -> None:
    """Refuses templates that read a column or an attribute that does not exist."""
    for template in templates:
        for read in template.reads:
            error = _misfit(template, read, width, known, attributes)
            if error is not None:
                raise error if template.place is None else error.located(*template.place)


def _misfit(
    template: Template, read: Read, width: int, known: Callable[[str], bool], attributes: Iterable[str]
) -> TemplateError | None:
    if read.column >= width:
        return TemplateError(
            f"'{template}' reads column {read.column}, but the input has {width} column{'s' * (width != 1)} (0 to {width - 1}).",
            remedy="The last column of the file is the output; choose others with --inputs and --outputs.",
        )
    if not known(read.attribute):
        if list_read(read.attribute) is not None:
            unknown = unknown_list(read.attribute, attributes)
            return TemplateError(unknown.message, remedy="Name the list's file: --list NAME=FILE, in Python lists=.")
        unknown = UnknownNameError.of("attribute", read.attribute, attributes)
        return TemplateError(unknown.message, remedy=f"In the template '{template}'.")
    if read.column and list_read(read.attribute) is not None:
        return TemplateError(f"'{template}': lists hold words, which are column 0.")
    return None


def attribute_names(lists: Iterable[str]) -> list[str]:
    """The attributes of these lists, as templates name them."""
    return [f"{kind}({name})" for name in lists for kind in (EXACT, ANY_CASE)]


def list_read(attribute: str) -> tuple[str, str] | None:
    """Which list an attribute reads: `list(city)` reads the list city; None for other attributes."""
    kind, bracket, name = attribute.partition("(")
    return (kind, name.removesuffix(")")) if bracket else None


def unknown_list(attribute: str, known: Iterable[str]) -> UnknownNameError:
    """known: attributes, including those of lists."""
    reads = [list_read(name) for name in known]
    _, name = list_read(attribute) or ("", attribute)
    return UnknownNameError.of("list", name, {read[1] for read in reads if read is not None})


def functions(added: Sequence[str]) -> dict[str, Attribute]:
    """Every attribute of context is the text of a column."""
    return dict.fromkeys(added, identity)


def reads_context(template: Template) -> bool:
    return any(read.attribute in SUMMARIES for read in template.reads)


def placed(templates: Sequence[AnyTemplate], width: int, added: Sequence[str]) -> tuple[AnyTemplate, ...]:
    """The templates with the columns of the attributes of context. width: number of other columns; added: the attributes, after these."""
    return tuple(_placed(template, width, added) if reads_context(template) else template for template in templates)


def _placed(template: AnyTemplate, width: int, added: Sequence[str]) -> AnyTemplate:
    for read in template.reads:
        if read.attribute in SUMMARIES and read.attribute not in added:
            why = "labels of chunks" if added else "labels of a first pass"
            error = TemplateError(
                f"'{template}' reads {why}, which there are none of here.",
                remedy="Leave it out." if added else "Set passes=2 (--passes 2).",
            )
            raise error if template.place is None else error.located(*template.place)
    reads = (
        replace(read, column=width + added.index(read.attribute)) if read.attribute in added else read
        for read in template.reads
    )
    return replace(template, reads=tuple(sorted(reads)))


# In the order of the columns that are added to the data.
SUMMARIES: Mapping[str, str] = {
    "guess": "the label that the first pass gives the token",
    "sameword": "the most frequent label that the first pass gives the same word elsewhere",
    "samelower": "the same, whatever the case of its letters",
    "samechunk": "the chunk that the same words are elsewhere, the longest that begins here: B-PER, I-PER",
    "longerchunk": "the type of longer chunks elsewhere that contain the words of the chunk that the token is in",
}
OF_TAGS = 3  # the first attributes, which exist for any labels; the others are for chunks
MODES: Mapping[str, str] = {
    "document": "the document of the sentence, where documents are marked, else the whole input",
    "window": "the sentences before, so that a stream is answered as it comes",
    "file": "the whole input, which must end before the first answer",
}
ADDED = -2  # the number of the first column of context in its source; the next columns have -3, -4, …


def names(*, chunks: bool) -> tuple[str, ...]:
    return tuple(SUMMARIES) if chunks else tuple(SUMMARIES)[:OF_TAGS]


class Scope(NamedTuple):
    """Which sentences vote about a token. window: number of sentences before, in that mode."""

    mode: str
    window: int


_INCLUDE = re.compile(r"^include (?P<name>\S+)\n", re.MULTILINE)
_WINDOWED = re.compile(r"^(?P<read>.*)\[-w\.\.w\]$", re.MULTILINE)
_NUMBERED = re.compile(r"(?P<name>[^:]+):(?P<window>[0-9]+)")
_USUAL = 1  # half of a window, where the name says nothing


@cache
def builtin_names(kind: str = "template") -> tuple[str, ...]:
    """The names of built-in sets. kind: the ending of their files."""
    from importlib.resources import files

    folder, ending = files("riata.features") / "builtin", f".{kind}"
    return tuple(sorted(entry.name.removesuffix(ending) for entry in folder.iterdir() if entry.name.endswith(ending)))


def is_named_set(source: str | Path, kind: str) -> bool:
    """Whether this is the name of a built-in set, with or without a window."""
    return str(source).partition(":")[0] in builtin_names(kind)


def read_source(source: str | Path, kind: str) -> str:
    """The text of a built-in set of this kind (the ending of its file), or of a file."""
    if is_named_set(source, kind):
        return _named(str(source), kind)
    if not os.path.isfile(source):
        numbered = _NUMBERED.fullmatch(str(source))
        name = numbered["name"] if numbered else str(source)
        raise UnknownNameError.of("template", name, builtin_names(kind), remedy="Or give the path of a template file.")
    try:
        with open(source, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TemplateError("not valid UTF-8.", remedy="Convert the file to UTF-8.", file=source, line=line) from None


def _named(source: str, kind: str) -> str:
    """The text of a built-in set, with one line per offset of its window."""
    name, colon, window = source.partition(":")
    text = _text(name, kind)
    if colon and not _WINDOWED.search(text):
        raise TemplateError(
            f"{source}: the set {name!r} has no window to choose.",
            remedy=f"Write {name!r}; sets with a window: {_with_window(kind) or 'none'}.",
        )
    half = _half(name, window) if colon else _USUAL
    return _WINDOWED.sub(lambda m: "\n".join(f"{m['read']}[{at}]" for at in range(-half, half + 1)), text)


def _half(name: str, window: str) -> int:
    if not (window.isascii() and window.isdecimal() and len(window) <= 9 and int(window) <= boundary_reach):
        raise TemplateError(
            f"{name}:{window}: the window is {window!r}; expected how many tokens before and after are read, 0 to {boundary_reach}.",
            remedy=f"Write {name}:2 for the tokens -2 to 2.",
        )
    return int(window)


def _with_window(kind: str) -> str:
    return ", ".join(name for name in builtin_names(kind) if _WINDOWED.search(_text(name, kind)))


def _text(name: str, kind: str) -> str:
    from importlib.resources import files

    text = (files("riata.features") / "builtin" / f"{name}.{kind}").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda line: _text(line["name"], kind), text)


LIST = "LIST"  # in lines, stands for the attribute of a list
COLUMN = "COLUMN"  # in lines, stands for a column of the input


@dataclass(frozen=True)
class Use:
    """What is known about a training when its default template is chosen."""

    exact: bool  # whether outputs are found by exact search
    earlier: bool  # whether features of earlier labels can be learnt
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Language:
    """In `languages`, one file per structure, with its name, defines LANGUAGE."""

    ending: str  # ending of its files
    template: type[Template]
    parse: Callable[..., tuple[Any, ...]]  # takes a text, and the name of its source
    list_lines: tuple[str, ...]  # lines of a default template for a list, with LIST for its attribute
    # Lines of a default template for a column of the input that it does not know, with COLUMN for it.
    column_lines: tuple[str, ...]
    context_lines: tuple[str, ...]  # lines with which the second of two passes reads the first
    keeps: Callable[[Any, Use], bool] | None = None  # whether a default keeps a template; None: `usable` says it
    default: str | None = None  # the built-in set of every task; None: each task has its own
    without_words: str | None = None  # the template for sentences that are features already; None: there is none
    signs: frozenset[str] = frozenset()  # parts of lines that only this language has
    borrowed: bool = False  # whether it belongs to another structure, which is meant if no structure is named

    def load(self, source: str | Path) -> tuple[Any, ...]:
        """Templates by the name of a built-in set, or from a file. Lines of a built-in set that read lists are left out."""
        text = read_source(source, self.ending)
        if self.has_set(source):
            text = "\n".join(line for line in text.splitlines() if LIST not in line)
        return self.parse(text, str(source))

    def usable(self, source: str | Path, use: Use) -> tuple[Any, ...]:
        """The templates of a default that a training can use: without those of earlier labels, where it learns none."""
        found = self.load(source)
        if self.keeps is not None:
            return tuple(one for one in found if self.keeps(one, use))
        return found if use.earlier else tuple(one for one in found if not getattr(one, "labels", ()))

    def has_set(self, source: str | Path) -> bool:
        """Whether this is the name of a built-in set."""
        return is_named_set(source, self.ending)

    def of_list(self, attribute: str, source: str | Path | None = None) -> tuple[Any, ...]:
        """The templates with which a default, or the built-in set `source`, reads a list."""
        own = read_source(source, self.ending).splitlines() if source is not None and self.has_set(source) else []
        lines = [line for line in own if LIST in line and not line.startswith("#")] or self.list_lines
        return self.parse("\n".join(lines).replace(LIST, attribute), "lists")

    def of_columns(self, columns: Iterable[int]) -> tuple[Any, ...]:
        """The templates with which a default reads columns that it does not know."""
        lines = [line.replace(COLUMN, f"x{column}") for column in columns for line in self.column_lines]
        return self.parse("\n".join(lines), "columns") if lines else ()

    def of_context(self, known: Sequence[str]) -> tuple[Any, ...]:
        """The templates with which a second pass reads the first, beside those of both. known: the attributes of context that exist."""
        found = self.parse("\n".join(self.context_lines), "context") if self.context_lines else ()
        return tuple(
            template
            for template in found
            if all(read.attribute in known for read in template.reads if read.attribute in SUMMARIES)
        )


def _no_templates(*_: object) -> tuple[Any, ...]:
    raise TemplateError("Features of parts are named by the structure; there are no templates for them.")


NO_TEMPLATES = Language("none", Template, _no_templates, (), (), (), keeps=lambda template, use: False, borrowed=True)


def language_of(structure: str) -> Language:
    found: Language = registry.of_structure("language", structure)
    return found


CLASSIFIERS, PREVIOUS = "classifiers", "previous"  # the setting, and its value for this
FIRST = Read(-1, 0, "outside")  # has a value at the first token of a sentence only


def by_label_before(templates: Sequence[Template]) -> tuple[Template, ...]:
    """`word[0]` becomes `edge word[0]` and, for first tokens, which have no label before, `outside[-1] word[0]`."""
    found: dict[Template, None] = {}
    for template in templates:
        if template.edge or template.labels or FIRST in template.reads:
            found.setdefault(template)
            continue
        if template.is_number:
            error = TemplateError(
                f"'{template}': numbers have one weight per label, and none for each label before.",
                remedy="Leave out the line, or classifiers=previous.",
            )
            raise error if template.place is None else error.located(*template.place)
        found.setdefault(replace(template, edge=True))
        found.setdefault(replace(template, reads=tuple(sorted({FIRST, *template.reads}))))
    return tuple(found)


def is_by_label_before(templates: Sequence[Template]) -> bool:
    """Whether `by_label_before` has made these templates."""
    return any(FIRST in template.reads for template in templates)
