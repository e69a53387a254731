"""Attributes of context: what the second of two passes reads of the first, by the words that templates use."""

from collections.abc import Mapping

# In the order of the columns that are added to the data.
SUMMARIES: Mapping[str, str] = {
    "guess": "the label that the first pass gives the token",
    "sameword": "the most frequent label that the first pass gives the same word elsewhere",
    "samelower": "the same, whatever the case of its letters",
    "samechunk": "the chunk that the same words are elsewhere, the longest that begins here: B-PER, I-PER",
    "longerchunk": "the type of longer chunks elsewhere that contain the words of the chunk that the token is in",
}
