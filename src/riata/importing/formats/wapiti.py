"""The model file of Wapiti, which is a text.

`#mdl#TYPE#WEIGHTS`, `#rdr#PATTERNS/…`, the patterns, `#qrk#LABELS`, the labels, `#qrk#TEXTS`, the texts that the patterns made in
training, and the weights that are not zero, `PLACE=WEIGHT`. Wapiti writes them as hexadecimal numbers; it reads decimal ones, blanks
and blank lines, too. Patterns, labels and texts are written `LENGTH:TEXT,`. The texts take their places in
order: one per label (`u`), one per pair of labels, the earlier one first (`b`), or first those and then these (`*`).
"""

from __future__ import annotations

import re

import numpy as np

from riata._core import boundary_reach
from riata.errors import ModelFileError, TemplateError
from riata.features.attributes import builtin
from riata.features.expressions import Expression
from riata.features.templates import Read
from riata.importing.formats.base import Format
from riata.importing.model_text import ModelText
from riata.importing.parts import ColumnFeatures, Imported
from riata.importing.patterns import Pattern, collect
from riata.models.parts import refuse_huge

_MACRO = re.compile(r'%(?:([xX])|([tTmM]))\[\s*([+-]?[0-9]{1,4}),\s*\+?([0-9]{1,4})(?(2),"((?:[^"\\]|\\.)*)")\]')
_EXPRESSIONS = {"t": "matches", "T": "matches", "m": "matched", "M": "matchedlower"}
_LENGTH = re.compile(rb"\s*(\d{1,9}):")
_END = re.compile(rb",\s*")  # of a text
_WEIGHT = re.compile(r"\s*(\d{1,18})=\s*(\S+)\s*")
_CRF = "2"
_TYPES = {"0": "maximum entropy", "1": "MEMM"}
_NEAR = 4  # further outside the sentence, Wapiti counts no more
MOST_COLUMN = 1023


class _Cursor:
    """Where reading is in the file."""

    def __init__(self, text: ModelText) -> None:
        self.text, self.at = text, 0

    @property
    def line(self) -> int:
        return self.text.content.count(b"\n", 0, self.at) + 1

    def error(self, message: str) -> ModelFileError:
        return self.text.error(message, self.line)

    def header(self, pattern: str, expected: str) -> re.Match[str]:
        """The rest of the line, which must be so."""
        end = self.text.content.find(b"\n", self.at)
        found = self.text.content[self.at : end if end >= 0 else None].decode("utf-8", "replace").rstrip()
        match = re.fullmatch(pattern, found)
        if match is None or end < 0:
            raise self.error(f"found {found!r:.60}; expected {expected}.")
        self.at = end + 1
        return match

    def strings(self, count: int, *, cut: bool = False) -> list[str]:
        """So many texts, each after its length in bytes. cut: some may end inside a character, as what an expression matched may."""
        content, found = self.text.content, []
        for _ in range(count):
            match = _LENGTH.match(content, self.at)
            end = match.end() + int(match[1]) if match else -1
            after = _END.match(content, end) if match else None
            if match is None or after is None:
                raise self.error(
                    f"found {content[self.at : self.at + 40]!r}; expected LENGTH:TEXT, and the end of the line."
                )
            part = content[match.end() : end]
            found.append(part.decode("utf-8", "backslashreplace") if cut else self.text.decoded(part, match.end()))
            self.at = after.end()
        return found


def _read(text: ModelText) -> Imported:
    text.check_last_line()
    cursor = _Cursor(text)
    head = cursor.header(r"#mdl#(?:(\d+)#)?(\d{1,18})", "#mdl#TYPE#WEIGHTS")
    if head[1] not in (_CRF, None):
        kind = _TYPES.get(head[1], f"type {head[1]}")
        raise text.error(f"the model is no CRF, but {kind}.", 1, "Train with Wapiti's --type crf.")
    patterns, columns = _patterns(cursor)
    labels = text.labels(*_quarks(cursor))
    cut = any(read.attribute not in builtin() for pattern in patterns for read in pattern.reads)
    names, line = _quarks(cursor, cut=cut)
    places, size = _places(text, names, line, len(labels))
    vector = _weights(cursor, int(head[2]), size)
    collected = _both(patterns, places, labels, text)
    used = tuple(dict.fromkeys(pattern.template for pattern in patterns))
    return Imported(collected.model(used, vector), tuple(range(columns)), -1)


def _quarks(cursor: _Cursor, *, cut: bool = False) -> tuple[list[str], int]:
    """A list of texts, and the line of the first."""
    count = int(cursor.header(r"#qrk#(\d{1,18})", "#qrk#NUMBER")[1])
    line = cursor.line
    return cursor.strings(count, cut=cut), line


def _patterns(cursor: _Cursor) -> tuple[list[Pattern], int]:
    """The patterns, and how many columns they read."""
    count = int(cursor.header(r"#rdr#(\d{1,9})/(\d+)(?:/(\d+))?", "#rdr#PATTERNS/COLUMNS")[1])
    line, found = cursor.line, []
    for i, source in enumerate(cursor.strings(count), start=line):
        found += [_pattern(cursor.text, source, i, edge=edge) for edge in _kinds(cursor.text, source, i)]
    if not found:
        raise cursor.text.error(
            "the model has no patterns: its features were made by another program.",
            line,
            "Train it with patterns (-p).",
        )
    return found, 1 + max((read.column for pattern in found for read in pattern.reads), default=0)


def _kinds(text: ModelText, source: str, line: int) -> tuple[bool, ...]:
    """Whether a pattern scores pairs of labels; `*` is two patterns."""
    kinds = {"u": (False,), "b": (True,), "*": (False, True)}.get(source[:1])
    if kinds is None:
        raise text.error(f"cannot read the pattern {source!r:.60}; expected u, b or * at its start.", line)
    return kinds


def _pattern(text: ModelText, source: str, line: int, *, edge: bool) -> Pattern:
    rest = _MACRO.sub("", source)
    if "%" in rest:
        raise text.error(
            f"the pattern {source!r:.60} has {'%' + rest.split('%', 1)[1]!r:.40}, which Riata cannot express; it knows "
            "%x, %X, %t, %T, %m and %M with [offset,column].",
            line,
            "Write what it finds into a column of the data, and train again with %x.",
        )
    reads = tuple(_read_of(text, match, line) for match in _MACRO.finditer(source))
    for read in reads:
        if abs(read.offset) > boundary_reach or read.column > MOST_COLUMN:
            raise text.error(
                f"the pattern {source!r:.60} reads too far away.",
                line,
                f"Offsets go from {-boundary_reach} to {boundary_reach}, columns up to {MOST_COLUMN}.",
            )
    return Pattern(tuple(_MACRO.split(source)[::6]), reads, edge, line)


def _read_of(text: ModelText, macro: re.Match[str], line: int) -> Read:
    token, command, offset, column, expression = macro.groups()
    if command is None:
        return Read(int(offset), int(column), "identity" if token == "x" else "asciilower")
    try:
        attribute = Expression.of(_EXPRESSIONS[command], expression).name
    except TemplateError as error:
        raise text.error(error.message, line, "Wapiti knows ., classes such as \\d, ^, $, * and ?.") from None
    return Read(int(offset), int(column), attribute)


def _places(text: ModelText, names: list[str], line: int, labels: int) -> tuple[dict[str, int], int]:
    """Where the weights of each text start, and how many places there are."""
    places, size = {}, 0
    for i, name in enumerate(names):
        if name[:1] not in ("u", "b", "*"):
            raise text.error(f"cannot read the feature {name!r:.60}; expected u, b or * at its start.", line + i)
        if name in places:
            continue  # for Wapiti, a text that is there again has the places of the first one
        places[name] = size
        size += (labels if name[0] != "b" else 0) + (labels**2 if name[0] != "u" else 0)
    return places, size


def _weights(cursor: _Cursor, count: int, size: int) -> np.ndarray:
    text, line = cursor.text, cursor.line
    lines = text.decoded(text.content[cursor.at :], cursor.at).splitlines()
    found_count = sum(1 for each in lines if each and not each.isspace())
    if found_count != count:
        raise text.error(f"found {found_count:,} weights; the first line says {count:,}.", line + len(lines))
    refuse_huge(8 * size)
    vector = np.zeros(size)
    for i, found in enumerate(lines, start=line):
        if not found or found.isspace():
            continue
        match = _WEIGHT.fullmatch(found)
        if match is None or int(match[1]) >= size:
            raise text.error(f"cannot read the weight {found!r:.60}; expected PLACE=WEIGHT, PLACE below {size:,}.", i)
        try:
            weight = float.fromhex(match[2]) if "x" in match[2].lower() else float(match[2])
        except (ValueError, OverflowError):
            raise text.error(f"cannot read the weight {match[2]!r:.60}; expected a number.", i) from None
        vector[int(match[1])] = text.number(repr(weight), i)
    return vector


def _both(patterns: list[Pattern], places: dict[str, int], labels: tuple[str, ...], text: ModelText) -> ColumnFeatures:
    """The weights of labels, and those of pairs, which in texts of `*` stand behind them."""
    pairs = {name: place + (len(labels) if name[0] == "*" else 0) for name, place in places.items()}
    of_labels = collect([p for p in patterns if not p.edge], places, labels, _boundary, text.path)
    of_pairs = collect([p for p in patterns if p.edge], pairs, labels, _boundary, text.path)
    return ColumnFeatures(labels, of_labels.weights | of_pairs.weights)


def _boundary(distance: int) -> str:
    """`_x-1` to `_x-4`, and `_x-#` for whatever is further away; likewise behind the sentence."""
    return f"_x{'+' if distance > 0 else '-'}{abs(distance) if abs(distance) <= _NEAR else '#'}"


FORMAT = Format(
    name="wapiti",
    tool="Wapiti",
    summary="the model file of Wapiti (wapiti train)",
    recognises=lambda head: head.startswith(b"#mdl#"),
    read=_read,
)
