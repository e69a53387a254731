"""What of an output has a confidence of its own, and is right or wrong: every chunk, or every token's tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata.confidence.reliability import Rights
from riata.data.chunk_boundaries import spans_of
from riata.data.types import Starts


@dataclass(frozen=True, eq=False)
class Units:
    """Predictions that are judged: the first token of each, whether it is right, and its sentence."""

    tokens: NDArray[np.int64]
    right: Rights
    sentences: NDArray[np.int64]


def units(predicted: Sequence[str], gold: Sequence[str], starts: Starts, *, chunks: bool) -> Units:
    """Labels of all tokens. A chunk is right if the truth has one from the same to the same token, of the same type."""
    sentence_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if not chunks:
        right = np.array([a == b for a, b in zip(predicted, gold, strict=True)], bool)
        return Units(np.arange(len(predicted)), right, sentence_of)
    tokens: list[int] = []
    rights: list[bool] = []
    for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        true = set(spans_of(gold[low:high]))
        for span in spans_of(predicted[low:high]):
            tokens.append(low + span.start)
            rights.append(span in true)
    at = np.array(tokens, np.int64)
    return Units(at, np.array(rights, bool), sentence_of[at])
