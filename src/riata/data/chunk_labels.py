"""Chunk labels of whole tag sets and of sentences: whether labels are such, and the spans that they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riata import registry
from riata.data.chunk_boundaries import is_extended, spans_of
from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.memory import is_list
from riata.data.types import Span
from riata.errors import DataError, printed


def shown_encodings() -> dict[str, Encoding]:
    """The encodings whose tags show what they are: all but those that write types alone, as which any tag can be read."""
    return {name: encoding for name, encoding in registry.all_of("encoding").items() if not encoding.bare}


def are_chunk_labels(labels: Iterable[str]) -> bool:
    """Whether all labels of a set are chunk labels of some encoding that shows it, and not all are O."""
    encodings, found = shown_encodings().values(), set(labels)
    return bool(found - {OUTSIDE}) and all(any(one.is_tag(label) for one in encodings) for label in found)


def spans(tags: Sequence[str]) -> list[Span]:
    """The chunks of a sentence, from its tags in any encoding, malformed or not, as conlleval reads them.

    >>> riata.spans(["B-PER", "I-PER", "O", "B-LOC"])
    [Span(start=0, end=2, type='PER'), Span(start=3, end=4, type='LOC')]
    """
    if not is_list(tags) or not all(isinstance(tag, str) for tag in tags):
        raise DataError(
            f"the tags are {printed(tags):.80}; expected a list of strings.",
            remedy="Give the tags of one sentence: [riata.spans(tags) for tags in predictions].",
        )
    return spans_of(tags, extended=is_extended(tags))
