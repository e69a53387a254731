"""Scores that users give as arrays."""

from __future__ import annotations

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
