"""How texts of JSON lines are split into words, and what becomes of spans that begin or end inside of words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from riata.data.running_text import Tokenizer
from riata.data.types import Span
from riata.errors import DataError, SettingError, UnknownNameError

MISALIGNED = ("widen", "drop", "refuse")


@dataclass(frozen=True)
class Splitting:
    own: Tokenizer | None = None  # the user's function; None: words and marks
    misaligned: str = MISALIGNED[0]

    def __post_init__(self) -> None:
        if self.misaligned not in MISALIGNED:
            raise UnknownNameError.of("value of misaligned", self.misaligned, MISALIGNED)

    @property
    def tokenizer(self) -> Tokenizer:
        return self.own or words_and_marks

    def other(self, tokenizer: Tokenizer | None, misaligned: str | None) -> Splitting:
        """The same with what is given; None changes nothing."""
        found = self if tokenizer is None else replace(self, own=tokenizer)
        return found if misaligned is None else replace(found, misaligned=misaligned)


_present: ContextVar[Splitting] = ContextVar("splitting")


def present() -> Splitting:
    return _present.get(Splitting())


def refuse_splitting(what: str) -> None:
    """Refuses to read what has no texts to split, if it was said how these are."""
    if present() != Splitting():
        raise SettingError(
            f"a tokenizer, and what becomes of spans inside of words, mean nothing for {what}.",
            remedy="Add --text if every line is a sentence, or --format jsonl for JSON lines; or leave out --tokenizer and --misaligned.",
        )


@contextmanager
def splitting(tokenizer: Tokenizer | None = None, misaligned: str | None = None) -> Iterator[None]:
    """A context in which all texts of JSON lines are split in this way."""
    token = _present.set(present().other(tokenizer, misaligned))
    try:
        yield
    finally:
        _present.reset(token)


Places = list[tuple[int, int]]  # start and end of each word

ZERO_WIDTH_JOINER = "\u200d"
_SKIN = range(0x1F3FB, 0x1F400)  # changes the colour of the emoji before it
_NOT_SPACE = re.compile(r"\S+")


class Marked(NamedTuple):
    """A span as a file has it: of characters, or of words."""

    start: int
    end: int
    label: str


class Aligned(NamedTuple):
    """The words of a span, and whether it begins and ends where they do."""

    span: Span
    exact: bool


def words_and_marks(text: str) -> list[str]:
    """Words, and each mark of punctuation or symbol on its own; marks between digits, as in 1,000 or 3.14, belong to the number.

    An accent or joiner belongs to the character before it, so that no word begins inside what is seen as one character.
    """
    return [word for found in _NOT_SPACE.finditer(text) for word in _split(found[0])]


def _split(piece: str) -> Iterator[str]:
    if piece.isalnum():
        yield piece
        return
    start = 0
    for at in range(1, len(piece)):
        if _begins(piece, at):
            yield piece[start:at]
            start = at
    yield piece[start:]


def _begins(piece: str, at: int) -> bool:
    """Whether a word begins at a character that is not the first."""
    before, here = piece[at - 1], piece[at]
    if _joins(here) or before == ZERO_WIDTH_JOINER:
        return False
    if here in ".," and before.isdigit():
        return not piece[at + 1 : at + 2].isdigit()
    if before in ".," and here.isdigit():
        return not piece[at - 2 : at - 1].isdigit()
    while at > 1 and _joins(piece[at - 1]):
        at -= 1
    return _stands_alone(here) or _stands_alone(piece[at - 1])


@lru_cache(maxsize=1 << 12)
def _joins(character: str) -> bool:
    """Whether it belongs to the character before it."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf") or ord(character) in _SKIN


@lru_cache(maxsize=1 << 12)
def _stands_alone(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def places_of(text: str, words: Sequence[str]) -> Places:
    """Where the words stand in a text that has them in this order."""
    found, end = [], 0
    for word in words:
        start = text.find(word, end)
        if start < 0 or text[end:start].strip():
            raise DataError(
                f"the word {word!r:.60} is not the next one of the text after character {end}: {text[end : end + 40]!r}.",
                remedy="Spans of characters need words that stand in the text as they are, in order, with nothing but blanks between them.",
            )
        end = start + len(word)
        found.append((start, end))
    return found


def aligned(marked: Marked, places: Places) -> Aligned | None:
    """The words that a span of characters touches; None where it touches none."""
    first = bisect_right(places, marked.start, key=lambda place: place[1])
    last = bisect_left(places, marked.end, key=lambda place: place[0]) - 1
    if first > last:
        return None
    exact = marked.start <= places[first][0] and places[last][1] <= marked.end
    return Aligned(Span(first, last + 1, marked.label), exact)


def apart(spans: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """Spans that do not overlap, the longest first chosen, in order; and those that were left out."""
    kept: list[Span] = []
    left: list[Span] = []
    taken: set[int] = set()
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        tokens = range(span.start, span.end)
        (left if taken.intersection(tokens) else kept).append(span)
        if kept and kept[-1] is span:
            taken.update(tokens)
    return sorted(kept), left
