"""How texts of JSON lines are split into words, and what becomes of spans that begin or end inside of words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from riata.data.types import Span
from riata.errors import DataError

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
