"""The same folds for all: every sentence is scored once, by a model that has not seen it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.memory import is_whole
from riata.data.types import Ids
from riata.errors import SettingError

Indices = NDArray[np.int64]


def folds(size: int, number: Any, seed: int, document: Ids | None = None) -> tuple[Indices, ...]:
    """The sentences of each fold, in ascending order: shuffled by the seed, then dealt into parts of nearly equal size.

    document: [S] the document of each sentence; whole documents are dealt, if there is one for every fold. None: none are marked.
    """
    if not is_whole(number) or number < 2:
        raise SettingError(
            f"folds is {number!r}; expected a whole number of at least 2.",
            remedy="With test data of its own (--test, test=), a comparison needs no folds.",
        )
    if number > size:
        raise SettingError(
            f"folds is {number}, but there are only {size} sentences to deal into them.", remedy="Use fewer folds."
        )
    if document is not None and deals_documents(document, int(number)):
        return _dealt(document, int(number), seed)
    order = np.random.default_rng(seed).permutation(size)
    return tuple(np.sort(part) for part in np.array_split(order, number))


def deals_documents(document: Ids | None, number: int) -> bool:
    """Whether folds are made of whole documents."""
    return document is not None and len(np.unique(document)) >= number


def _dealt(document: Ids, number: int, seed: int) -> tuple[Indices, ...]:
    """Whole documents in an order that the seed decides, each to the fold that has the fewest sentences, the first of several."""
    _, of, sizes = np.unique(document, return_inverse=True, return_counts=True)
    held, fold = np.zeros(number, np.int64), np.empty(len(sizes), np.int64)
    for one in np.random.default_rng(seed).permutation(len(sizes)):
        fold[one] = np.argmin(held)
        held[fold[one]] += sizes[one]
    return tuple(np.flatnonzero(fold[of] == k) for k in range(number))


def others(fold: Indices, size: int) -> Indices:
    """The sentences that are not in the fold."""
    return np.setdiff1d(np.arange(size), fold)
