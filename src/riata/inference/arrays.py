"""Scores that users give as arrays."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import DataError, printed

Scores = NDArray[np.float64]

LARGEST = 1e290  # a sum of such scores is finite, however long the sentence


def scores(given: Any, name: str) -> Scores:
    """An array of numbers; DataError if it is not one. name: of the parameter, for the message."""
    if np.ma.is_masked(given):
        raise DataError(
            f"{name} is an array with masked values, which have no meaning here.",
            remedy=f"Minus infinity forbids: {name}.filled(-np.inf).",
        )
    try:
        return np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{name} is {printed(given):.60}; expected an array of numbers.") from None


def check_scores(read: Scores, name: str) -> None:
    """Raises DataError if a score has no meaning. read: the entries that are read. name: of the parameter, for the message."""
    if np.isnan(read).any() or np.isposinf(read).any():
        raise DataError(
            f"{name} has a score that is NaN or plus infinity.",
            remedy="Scores are finite numbers, or minus infinity for what is forbidden.",
        )
    if read.size and read.max() > LARGEST:
        raise DataError(
            f"{name} has the score {read.max():g}; expected at most {LARGEST:g}.",
            remedy="Divide all scores by the same number.",
        )


def finite(given: Any, name: str) -> float:
    """A finite number; DataError if it is not one. name: of the parameter, for the message."""
    if not isinstance(given, Real) or not np.isfinite(float(given)):
        raise DataError(f"{name} is {printed(given):.60}; expected a finite number.")
    if abs(float(given)) > LARGEST:
        raise DataError(f"{name} is {printed(given):.60}; expected a number from {-LARGEST:g} to {LARGEST:g}.")
    return float(given)
