"""JSON lines as a corpus: words and one column for each list of values per word, labels last."""

from __future__ import annotations

import json
import re
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from riata import registry
from riata.data.columns import is_cleaning, looked_at, name_of
from riata.data.documents import Marking
from riata.data.formats.base import Asked, column_number, present
from riata.data.json_lines.shapes import LABELS, MARKED, WORD_FIELDS, Annotated, annotated
from riata.data.json_lines.splitting import Marked, Places, aligned, apart, places_of, words_and_marks
from riata.data.running_text import lines, words
from riata.data.types import Column, Corpus, Span, is_unicode
from riata.errors import DataError, RiataError, RiataWarning, printed, shortened

FORMAT = "jsonl"
WORDS = "tokens"
LAST = (*WORD_FIELDS, *LABELS, MARKED, "heads", "deprels")  # columns after all others
OUTPUTS = (*LABELS, MARKED, "heads", "deprels")  # those that an object may not lack or have alone


@dataclass(frozen=True)
class Source:
    """What a sentence was read from: the object and, where it has a text, the places of the words in it."""

    fields: Mapping[str, Any]
    text: str | None
    places: Places | None


def read(path: str | Path, asked: Asked) -> Corpus:
    """The whole file as a corpus, without objects that have no words."""
    reader = _JsonLinesReader(path, asked)
    for part in objects(path):
        reader.take(part)
    found = reader.corpus()
    reader.finish()
    return found


def stream(path: str | Path, asked: Asked, size: int | None, stopped: threading.Event | None) -> Iterator[Corpus]:
    """The sentences in parts, as they come or, with a size, of at least so many bytes. As for `columns.stream`."""
    return _JsonLinesReader(path, asked).parts(size, stopped)


class _JsonLinesReader:
    def __init__(self, path: str | Path, asked: Asked) -> None:
        self._path, self._name, self._asked = path, name_of(path), asked
        self._split, self._clean, self._told = present(), is_cleaning(), False
        self._problems = Problems(self._name, self._split.misaligned)
        self._wanted = self._named()  # what to read of each object; None: all
        self._names: tuple[str, ...] = ()  # of the columns, as the first object with words has them
        self._first = self._seen = 0  # the line of that object; objects so far
        self._marking: Marking | None = None
        self._encoding = registry.get("encoding", "iob2")
        self._begin()

    def _named(self) -> Sequence[str] | None:
        """The keys that are asked for, if all are asked for by name."""
        names = [name for name in self._asked.columns or () if isinstance(name, str)]
        documents = self._asked.documents
        if not names or len(names) < len(self._asked.columns or ()):
            return None
        return [*names, *([documents] if isinstance(documents, str) else [])]

    def _begin(self) -> None:
        self._columns: list[list[str]] = [[] for _ in self._names]
        self._starts, self._lines, self._sources = [0], list[int](), list[Source]()

    def parts(self, size: int | None, stopped: threading.Event | None) -> Iterator[Corpus]:
        held = 0
        for part in (text_objects if self._asked.text else objects)(self._path, stopped):
            self.take(part)
            held += sum(len(text) for column in self._columns for text in column) if size else 0
            if len(self._starts) > 1 and (size is None or held >= size):
                yield self.corpus()
                held = 0
                self._begin()
        if len(self._starts) > 1:
            yield self.corpus()
        self.finish()

    def finish(self) -> None:
        if not self._first and not (self._asked.sources and self._seen):
            empty = "no objects" if not self._seen else "no object with words"
            raise DataError(f"the file holds {empty}{self._problems.left_out()}.", remedy=REMEDY, file=self._name)
        self._problems.tell()

    def take(self, part: Sequence[Numbered]) -> None:
        for line, fields, where in part:
            self._seen += 1
            try:
                self._take(line, fields, where or f"line {line}")
            except RiataError as error:
                error.message = f"{where}: {error.message}" if where else error.message
                raise error.located(self._name, line) from None

    def _take(self, line: int, fields: Mapping[str, Any], where: str) -> None:
        found = annotated(fields, self._wanted)
        if not self._asked.sources and found.answer != "accept":
            self._problems.unaccepted(where, found.answer)
            return
        tokens, places = found.tokens, found.places
        if tokens is None:
            assert found.text is not None
            tokens = tuple(words(found.text, self._split.own or words_and_marks, self._name, line, spaces=True))
            places = places_of(found.text, tokens)
        if found.several:
            self._problems.several(where)
        if found.unplaced:
            self._problems.unplaced(where)
        if tokens:
            values = {WORDS: tokens, **self._values(where, fields, found, len(tokens), places)}
            chosen = self._chosen(line, values)
            for column, texts in zip(self._columns, chosen, strict=True):
                column.extend(texts)
        elif not self._asked.sources:
            return
        self._lines += [line] * len(tokens)
        self._starts.append(len(self._lines))
        if self._asked.sources:
            self._sources.append(Source(fields, found.text, places))

    def _values(
        self, where: str, fields: Mapping[str, Any], found: Annotated, length: int, places: Places | None
    ) -> dict[str, Sequence[str]]:
        """The columns of the object's words, besides these."""
        values = dict(found.arrays)
        if found.spans is not None:
            values[MARKED] = self._encoding.encode(self._spans(where, found, length, places), length)
        documents = self._asked.documents
        if isinstance(documents, str) and documents not in values:
            if not isinstance(fields.get(documents), (str, int)) or fields[documents] == "":
                raise DataError(
                    f"{documents!r}, which names documents, is {printed(fields.get(documents)):.40}; expected a text or a number.",
                    remedy="Give every object the key.",
                )
            values[documents] = [str(fields[documents])] * length
        return values

    def _spans(self, where: str, found: Annotated, length: int, places: Places | None) -> list[Span]:
        """The words of the object's spans; those that cannot be had are counted."""
        assert found.spans is not None
        spans = []
        for mark in found.spans:
            self._problems.named(where, mark.label)
            limit = length if found.text is None else len(found.text)
            if mark.end > limit:
                what = "tokens" if found.text is None else "characters"
                raise DataError(
                    f"the span {mark.label!r:.40} from {mark.start} to {mark.end} ends after the {limit} {what} of the object.",
                    remedy="Places are counted in characters, not bytes, from 0; in tokens where the object has no text.",
                )
            if found.text is None:
                spans += [Span(*mark)] if mark.start < mark.end else []
                continue
            assert places is not None
            touched = aligned(mark, places)
            if touched is None:
                self._problems.empty(where, mark)
            elif touched.exact or self._problems.misaligned(where, mark, found.text, places, touched.span):
                spans.append(touched.span)
        kept, left = apart(list(dict.fromkeys(spans)))
        for span in left:
            self._problems.overlapping(where, span)
        return kept

    def _chosen(self, line: int, values: Mapping[str, Sequence[str]]) -> list[Sequence[str]]:
        """The values of the columns; the first object decides which there are."""
        if not self._names:
            self._decide(line, list(values))
        missing = [name for name in self._names if name not in values]
        if missing:
            like = "which the model reads" if self._asked.columns is not None else f"which line {self._first} has"
            raise DataError(
                f"there are no values for each token in {missing[0]!r}, {like}.",
                remedy="Give every object the same keys"
                + ("; [] where nothing is marked." if missing[0] == MARKED else ", or leave this one out everywhere."),
            )
        new = [name for name in OUTPUTS if name in values and name not in self._names]
        if new and self._wanted is None:
            raise DataError(
                f"there are labels in {new[0]!r}, and line {self._first} has none.",
                remedy="Give every object the same keys.",
            )
        return [values[name] for name in self._names]

    def _decide(self, line: int, found: Sequence[str]) -> None:
        names = sorted(found, key=lambda name: (name != WORDS, LAST.index(name) if name in LAST else -1))
        if (asked := self._asked.columns) is not None:
            numbers = [name for name in asked if isinstance(name, int)]
            names = [name for name in asked if isinstance(name, str)] + [names[n] for n in numbers if n < len(names)]
            names += [d for d in [self._asked.documents] if isinstance(d, str) and d not in names]
            self._wanted = names
        self._names, self._first = tuple(names), line
        self._columns = [[] for _ in names]
        documents = self._asked.documents
        self._marking = Marking(None if documents is None else column_number(documents, self._names))

    def corpus(self) -> Corpus:
        """What has been taken so far."""
        made = Corpus(
            columns=tuple(map(Column.of, self._columns)),
            starts=np.array(self._starts, np.int64),
            name=self._name,
            lines=np.array(self._lines, np.int64),
            sources=tuple(self._sources),
            names=self._names,
            format=FORMAT,
        )
        if not made.tokens or self._marking is None:
            return made
        made, self._told = looked_at(made, self._clean, self._told)
        return self._marking(made)


REMEDY = 'Expected one JSON object per line, such as {"tokens": ["The", "bus"], "tags": ["DT", "NN"]}.'
MOST_DIGITS = 1000


class Numbered(NamedTuple):
    """An object, and the line where it begins."""

    line: int
    fields: dict[str, Any]
    where: str = ""  # which one it is, if all are in one line


def objects(path: str | Path, stopped: threading.Event | None = None) -> Iterator[list[Numbered]]:
    """The objects of a file, as many at a time as have come."""
    name, first = name_of(path), True
    parts = lines(path, stopped)
    for number, texts in parts:
        if first and (start := next((text for text in texts if text.strip()), "")):
            first = False
            if _begins_array(start):
                rest = [*texts, *(text for _, more in parts for text in more)]
                yield list(_of_array("\n".join(rest), name, number))
                return
        yield [Numbered(number + i, parsed(text, name, number + i)) for i, text in enumerate(texts) if text.strip()]


def text_objects(path: str | Path, stopped: threading.Event | None = None) -> Iterator[list[Numbered]]:
    """Lines of running text as objects."""
    for number, texts in lines(path, stopped):
        yield [Numbered(number + i, {"text": text.rstrip("\r")}) for i, text in enumerate(texts) if text.strip()]


def parsed(text: str, name: str, line: int) -> dict[str, Any]:
    """The object of a line; refuses whatever is none."""
    try:
        return _object(_DECODER.decode(text.strip()), text)
    except DataError as error:
        raise error.located(name, line) from None
    except (ValueError, RecursionError) as error:
        raise _no_json(error, text).located(name, line) from None


def _begins_array(text: str) -> bool:
    """Whether a first line begins a file that is one array; spaCy's pairs [text, {...}] are arrays too, one per line."""
    if not text.lstrip().startswith("["):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return True
    return not (found and isinstance(found[0], str))


def _of_array(text: str, name: str, first: int) -> Iterator[Numbered]:
    at, line, counted = text.index("[") + 1, first, 0
    one_line = "\n" not in text.strip()
    for number in count():
        where = f"object {number}, counted from 0" if one_line else ""
        while text[at : at + 1] in (" ", "\t", "\r", "\n", ","):
            at += 1
        line, counted = line + text.count("\n", counted, at), at
        if text[at:].strip() == "]":
            return
        try:
            found, end = _DECODER.raw_decode(text, at)
            yield Numbered(line, _object(found, text[at:end]), where)
        except DataError as error:
            error.message = f"{where}: {error.message}" if where else error.message
            raise error.located(name, line) from None
        except (ValueError, RecursionError) as error:
            raise _no_json(error, text[at:]).located(name, line) from None
        at = end


def _object(found: Any, text: str) -> dict[str, Any]:
    if isinstance(found, list) and len(found) == 2 and isinstance(found[0], str) and isinstance(found[1], dict):
        found = {"text": found[0], **found[1]}  # as spaCy's training data had it
    if not isinstance(found, dict):
        raise DataError(f"found {text.strip()!r:.60}, which is no JSON object.", remedy=REMEDY)
    if "\\u" in text and not is_unicode(json.dumps(found, ensure_ascii=False)):
        raise DataError(
            "a text holds a lone surrogate (\\ud800 to \\udfff), which is no character.",
            remedy="Write the character itself, or both halves of the pair.",
        )
    return found


def _no_json(error: Exception, text: str) -> DataError:
    if isinstance(error, RecursionError):
        return DataError("the JSON is nested too deeply.", remedy=REMEDY)
    place = f" at character {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return DataError(f"this is no JSON{place} ({reason}): {text.strip()!r:.60}.", remedy=REMEDY)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"the key {twice!r:.60} is there twice.", remedy="Leave out one of them.")
    return found


def _no_number(text: str) -> Any:
    raise DataError(f"{text} is no number in JSON.", remedy="Write null, or leave the key out.")


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise DataError(f"a number has {len(text):,} digits.", remedy="Write it as a string, or leave the key out.")
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_constant=_no_number, parse_int=_whole)


ONE = {  # words of a count, and what they are for a count of one
    "spans": "span",
    "objects": "object",
    "tasks": "task",
    "begin": "begins",
    "end": "ends",
    "overlap": "overlaps",
    "contain": "contains",
    "are": "is",
    "have": "has",
    "were": "was",
}
_PREFIXED = re.compile("[BILUES]-[A-Z]")
UTF_16 = (
    " The text has characters such as emoji. Are places counted in UTF-16, as in JavaScript, where these are two? Here each is one: "
    "correct the places (--misaligned refuse finds them)."
)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {' '.join(ONE.get(word, word) for word in what.split()) if number == 1 else what}"


class Problems:
    def __init__(self, name: str, policy: str) -> None:
        """policy: what becomes of spans that begin or end inside a word."""
        self._name, self._policy = name, policy
        self._counts: dict[str, int] = {}
        self._first: dict[str, str] = {}
        self._beyond = False  # whether a span inside a word comes after a character that is two in UTF-16

    def _count(self, what: str, where: str, example: str) -> None:
        self._counts[what] = self._counts.get(what, 0) + 1
        self._first.setdefault(what, f"{where}: {example}")

    def misaligned(self, where: str, mark: Marked, text: str, places: Places, span: Span) -> bool:
        """A span that begins or ends inside a word; whether it is kept."""
        given = text[mark.start : mark.end]
        around = text[places[span.start][0] : places[span.end - 1][1]]
        beyond = any(ord(c) > 0xFFFF for c in text[: mark.end])
        if self._policy == "refuse":
            raise DataError(
                f"the span {mark.label!r:.40}, {given!r:.60}, begins or ends inside a word of {around!r:.60}.",
                remedy="Mend its place, choose another tokenizer, or let spans be widened (misaligned='widen', --misaligned widen)."
                + (UTF_16 if beyond else ""),
            )
        self._beyond |= beyond
        kept = self._policy == "widen"
        what = "were widened to whole words" if kept else "were left out"
        self._count(f"spans begin or end inside a word and {what}", where, f"{mark.label!r}, {given!r} in {around!r}")
        return kept

    def overlapping(self, where: str, span: Span) -> None:
        self._count(
            "spans overlap longer ones and were left out", where, f"{span.type!r}, words {span.start} to {span.end - 1}"
        )

    def named(self, where: str, label: str) -> None:
        if _PREFIXED.match(label):
            self._count(
                "spans have labels of tokens; spans need the type alone, such as PER instead of B-PER",
                where,
                repr(label),
            )
        elif len(label.split()) > 1:
            self._count("spans have labels with blanks, which files of columns cannot hold", where, repr(label))

    def empty(self, where: str, mark: Marked) -> None:
        self._count("spans contain no word and were left out", where, f"{mark.label!r}, {mark.start} to {mark.end}")

    def unaccepted(self, where: str, answer: str) -> None:
        self._count("objects are not accepted and were left out", where, f"{answer!r}")

    def several(self, where: str) -> None:
        self._count("tasks have several annotations, of which the first was read", where, "the others were left out")

    def unplaced(self, where: str) -> None:
        self._count(
            "tasks have results without places, such as choices, and no spans", where, "all its words are outside spans"
        )

    def left_out(self) -> str:
        """For a message: how many objects were left out."""
        return "".join(f" ({_counted(n, what)})" for what, n in self._counts.items() if what.startswith("objects"))

    def tell(self) -> None:
        for what, number in self._counts.items():
            example = self._first[what]
            hint = UTF_16 if "inside a word" in what and self._beyond else ""
            warnings.warn(
                shortened(f"{self._name}: {_counted(number, what)} (the first in {example}).{hint}"),
                RiataWarning,
                stacklevel=3,
            )
