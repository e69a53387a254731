"""Weights of sentences or other examples, as users give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import DataError, printed

if TYPE_CHECKING:
    from riata.data.types import Corpus

LARGEST_WEIGHT = 1e6  # largest weight of a class or a sentence: weights must stay finite in single precision


def sentence_weights(given: Any, number: int, of: str = "sentence") -> NDArray[np.float64]:
    """sample_weight as an array [number]; empty if it is not given. of: what each weight belongs to."""
    if given is None:
        return np.empty(0)
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"sample_weight is {printed(given):.60}; expected one number per {of}.") from None
    if weights.shape != (number,):
        raise DataError(f"sample_weight has the shape {weights.shape}; expected one number for each of {number} {of}s.")
    if not ((weights >= 0) & (weights <= LARGEST_WEIGHT)).all():
        raise DataError(
            "sample_weight holds NaN, an infinite, a negative or a huge number; "
            f"expected finite numbers from 0 to {LARGEST_WEIGHT:g}."
        )
    return np.ascontiguousarray(weights)


def weighed(data: Corpus, given: Any) -> tuple[Corpus, NDArray[np.float64] | None]:
    """The sentences that have a weight above 0, and their weights; all sentences where no token has one, or where no weights are given.

    A sentence of weight 0 is left out before anything reads it, so no recipe, order or count depends on it.
    """
    if given is None:
        return data, None
    weights = sentence_weights(given, len(data))
    kept = data if weights.all() else data[np.flatnonzero(weights)]
    return (kept, weights[weights > 0]) if kept.tokens else (data, weights)
