"""Lists of words and phrases, such as names of cities: the position of a token in an entry, which depends on neighbouring tokens."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import is_extended, spans_of
from riata.data.memory import as_corpus
from riata.data.types import Column, Starts, is_unicode
from riata.errors import DataError, SettingError, printed

if TYPE_CHECKING:
    from pathlib import Path


POSITIONS = ("S", "B", "I", "E")  # a token that is a whole entry; the first, an inner and the last token of an entry
SINGLE, FIRST, INSIDE, LAST = range(4)
Entry = tuple[str, ...]


@dataclass(frozen=True)
class WordList:
    """Entries of one or more words, without repetition."""

    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, name: str, given: str | Path | Sequence[str]) -> WordList:
        """From a file (one entry per line, `#` starts a comment line) or from a sequence of entries."""
        if isinstance(given, (str, os.PathLike)):
            lines = [line for line in _lines(given) if not line.startswith("#")]
            file: str | None = str(given)
        else:
            lines, file = _texts(name, given), None
        words = (tuple(word for word in re.split("[ \\t]", line) if word) for line in lines)
        found = tuple(dict.fromkeys(entry for entry in words if entry))
        if not found:
            raise DataError(
                f"the list {name!r} holds no entry.",
                remedy="Write one entry per line; lines with # are comments.",
                file=file,
            )
        return cls(found)

    def texts(self) -> list[str]:
        return [" ".join(entry) for entry in self.entries]

    def positions(self, column: Column, starts: Starts, *, any_case: bool) -> NDArray[np.int8]:
        """The position of each token in an entry: an index of POSITIONS, or -1.

        From left to right, the longest entry that starts at a token is taken, and the next one is looked for after it.
        """
        return (self._folded if any_case else self._as_written).positions(column, starts)

    @cached_property
    def _as_written(self) -> _Trie:
        return _Trie(self.entries, folded=False)

    @cached_property
    def _folded(self) -> _Trie:
        return _Trie(self.entries, folded=True)


class _Trie:
    """Entries as paths: (node, word) leads to the next node; node 0 is the root."""

    def __init__(self, entries: Iterable[Entry], *, folded: bool) -> None:
        self.folded = folded
        self.words: dict[str, int] = {}
        self.next: dict[tuple[int, int], int] = {}
        self.ends: set[int] = set()
        for entry in entries:
            node = 0
            for word in entry:
                word_id = self.words.setdefault(self._key(word), len(self.words))
                node = self.next.setdefault((node, word_id), len(self.next) + 1)
            self.ends.add(node)
        # [words + 1] whether the word starts an entry; the last is for unknown words.
        self.opens = np.zeros(len(self.words) + 1, bool)
        self.opens[[word_id for node, word_id in self.next if node == 0]] = True

    def _key(self, word: str) -> str:
        return word.casefold() if self.folded else word

    def positions(self, column: Column, starts: Starts) -> NDArray[np.int8]:
        found = np.full(len(column.ids), -1, np.int8)
        words = self._word_ids(column)
        ends = np.repeat(starts[1:], np.diff(starts))  # [N] end of the token's sentence
        free = 0
        for at in np.flatnonzero(self.opens[words]).tolist():
            if at < free:
                continue
            stop = self._longest(words, at, int(ends[at]))
            if stop > at:
                found[at:stop] = INSIDE
                found[stop - 1] = LAST
                found[at] = FIRST if stop > at + 1 else SINGLE
                free = stop
        return found

    def _longest(self, words: NDArray[np.int32], at: int, end: int) -> int:
        """The end of the longest entry that starts here; here, if there is none."""
        stop, node, p = at, 0, at
        while p < end:
            node = self.next.get((node, int(words[p])), -1)
            p += 1
            if node < 0:
                break
            if node in self.ends:
                stop = p
        return stop

    def _word_ids(self, column: Column) -> NDArray[np.int32]:
        used = column.used()
        table = np.full(len(column.alphabet), -1, np.int32)
        table[used] = [self.words.get(self._key(text), -1) for text in column.alphabet.texts_of(used)]
        return table[column.ids]


def check_lists(lists: Mapping[str, Any]) -> None:
    """Refuses values that cannot be lists, before anything is read."""
    if not isinstance(lists, Mapping):
        raise SettingError(f"lists is {printed(lists):.60}; expected a dictionary from names to files or entries.")
    for name, given in lists.items():
        if not isinstance(name, str) or not name.replace("_", "a").isalnum():
            raise SettingError(f"the list {name!r} has a name that templates cannot use: letters, digits and _ can.")
        if not isinstance(given, (str, os.PathLike, list, tuple, set, frozenset)):
            raise SettingError(f"the list {name!r} is {printed(given):.60}; expected the path of a file, or entries.")


def _lines(path: str | Path) -> list[str]:
    from riata.data.columns import pieces

    content = b"".join(pieces(path))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DataError("not valid UTF-8.", remedy="Convert the file to UTF-8.", file=path, line=line) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise DataError(
            "found a NUL byte; expected UTF-8 text.",
            remedy="Is this a text file? If it is UTF-16: iconv -f UTF-16 -t UTF-8 FILE.",
            file=path,
            line=line,
        )
    return [line.removesuffix("\r") for line in text.split("\n")]


def _texts(name: str, given: Iterable[Any]) -> list[str]:
    texts = list(given)
    for text in texts:
        if not isinstance(text, str) or not is_unicode(text):
            raise DataError(f"the list {name!r} has the entry {printed(text):.60}; expected a text.")
    return sorted(texts) if isinstance(given, (set, frozenset)) else texts


def learnt_lists(data: Any, *, least: int = 2) -> dict[str, list[str]]:
    """Words that occur in the data inside chunks of one type alone, and at least so often, by type. The last column has the chunk labels.

    >>> learnt_lists([[("Ada", "B-PER"), ("left", "O")], [("Ada", "B-PER"), ("and", "O"), ("Bo", "B-PER")]])
    {'PER': ['Ada']}
    """
    corpus = as_corpus(data)
    if isinstance(least, bool) or not isinstance(least, int) or least < 1:
        raise SettingError(f"least is {least!r}; expected a whole number of at least 1.")
    if corpus.width < 2:
        raise DataError("lists are learnt from words and chunk labels, which the data do not have.", file=corpus.name)
    extended = is_extended(corpus.columns[-1].alphabet.texts())
    times: Counter[str] = Counter(corpus.columns[0].texts())
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    for words, labels in zip(corpus.sentences_of(0), corpus.sentences_of(corpus.width - 1), strict=True):
        for start, end, type_ in spans_of(labels, extended=extended):
            inside[type_].update(words[start:end])
    found = {
        type_: sorted(word for word, number in counts.items() if number == times[word] >= least)
        for type_, counts in sorted(inside.items())
    }
    return {type_: words for type_, words in found.items() if words}
