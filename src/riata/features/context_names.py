"""Attributes of context, which the second of two passes reads of the first, by their names in templates."""

from collections.abc import Mapping
from typing import NamedTuple

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
