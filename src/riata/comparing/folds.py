"""The same folds for all: every sentence is scored once, by a model that has not seen it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import SettingError

Indices = NDArray[np.int64]


def folds(size: int, number: Any, seed: int) -> tuple[Indices, ...]:
    """The sentences of each fold, in ascending order: shuffled by the seed, then dealt into parts of nearly equal size."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 2:
        raise SettingError(
            f"folds is {number!r}; expected a whole number of at least 2.",
            remedy="With test data of its own (--test, test=), a comparison needs no folds.",
        )
    if number > size:
        raise SettingError(
            f"folds is {number}, but there are only {size} sentences to deal into them.", remedy="Use fewer folds."
        )
    order = np.random.default_rng(seed).permutation(size)
    return tuple(np.sort(part) for part in np.array_split(order, number))


def others(fold: Indices, size: int) -> Indices:
    """The sentences that are not in the fold."""
    return np.setdiff1d(np.arange(size), fold)
