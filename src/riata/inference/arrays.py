"""Scores that users give as arrays."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import DataError, printed

Scores = NDArray[np.float64]


def scores(given: Any, name: str) -> Scores:
    """An array of numbers; DataError where it is none. name: of the parameter."""
    try:
        return np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{name} is {printed(given):.60}; expected an array of numbers.") from None


def finite(given: Any, name: str) -> float:
    """A number; DataError where it is none. name: of the parameter."""
    if not isinstance(given, Real) or not np.isfinite(float(given)):
        raise DataError(f"{name} is {printed(given):.60}; expected a finite number.")
    return float(given)
