"""JSON lines as a corpus: words and one column for each list of values per word, labels last."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from riata import registry
from riata.data.cleaning import is_cleaning
from riata.data.columns import looked_at
from riata.data.documents import Marking
from riata.data.files import column_number
from riata.data.formats.base import Asked
from riata.data.json_lines.objects import REMEDY, Numbered, objects, text_objects
from riata.data.json_lines.offsets import Places, aligned, apart, places_of
from riata.data.json_lines.problems import Problems
from riata.data.json_lines.shapes import LABELS, MARKED, WORD_FIELDS, Annotated, annotated
from riata.data.json_lines.splitting import present
from riata.data.running_text import words
from riata.data.source import name_of
from riata.data.types import Column, Corpus, Span
from riata.errors import DataError, RiataError, printed

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
    reader = _Reader(path, asked)
    for part in objects(path):
        reader.take(part)
    found = reader.corpus()
    reader.finish()
    return found


def stream(path: str | Path, asked: Asked, size: int | None, stopped: threading.Event | None) -> Iterator[Corpus]:
    """The sentences in parts, as they come or, with a size, of at least so many bytes. As for `columns.stream`."""
    return _Reader(path, asked).parts(size, stopped)


class _Reader:
    def __init__(self, path: str | Path, asked: Asked) -> None:
        self._path, self._name, self._asked = path, name_of(path), asked
        self._split, self._clean, self._told = present(), is_cleaning(), False
        self._problems = Problems(self._name, self._split.misaligned)
        self._wanted: Sequence[str] | None = None  # what to read of each object; None: all
        self._names: tuple[str, ...] = ()  # of the columns, as the first object with words has them
        self._first = self._seen = 0  # the line of that object; objects so far
        self._marking: Marking | None = None
        self._encoding = registry.get("encoding", "iob2")
        self._begin()

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
        for line, fields in part:
            self._seen += 1
            try:
                self._take(line, fields)
            except RiataError as error:
                raise error.located(self._name, line) from None

    def _take(self, line: int, fields: Mapping[str, Any]) -> None:
        found = annotated(fields, self._wanted)
        if not self._asked.sources and found.answer != "accept":
            self._problems.unaccepted(line, found.answer)
            return
        tokens, places = found.tokens, found.places
        if tokens is None:
            assert found.text is not None
            tokens = tuple(words(found.text, self._split.tokenizer, self._name, line, spaces=True))
            places = places_of(found.text, tokens)
        if found.several:
            self._problems.several(line)
        if tokens:
            values = {WORDS: tokens, **self._values(line, fields, found, len(tokens), places)}
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
        self, line: int, fields: Mapping[str, Any], found: Annotated, length: int, places: Places | None
    ) -> dict[str, Sequence[str]]:
        """The columns of the object's words, besides these."""
        values = dict(found.arrays)
        if found.spans is not None:
            values[MARKED] = self._encoding.encode(self._spans(line, found, length, places), length)
        documents = self._asked.documents
        if isinstance(documents, str) and documents not in values:
            if not isinstance(fields.get(documents), (str, int)) or fields[documents] == "":
                raise DataError(
                    f"{documents!r}, which names documents, is {printed(fields.get(documents)):.40}; expected a text or a number.",
                    remedy="Give every object the key.",
                )
            values[documents] = [str(fields[documents])] * length
        return values

    def _spans(self, line: int, found: Annotated, length: int, places: Places | None) -> list[Span]:
        """The words of the object's spans; those that cannot be had are counted."""
        assert found.spans is not None
        spans = []
        for mark in found.spans:
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
                self._problems.empty(line, mark)
            elif touched.exact or self._problems.misaligned(line, mark, found.text, places, touched.span):
                spans.append(touched.span)
        kept, left = apart(list(dict.fromkeys(spans)))
        for span in left:
            self._problems.overlapping(line, span)
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
