"""What all scores share: counts per sentence, and ratios of their sums.

Every score here is a ratio of sums over sentences. So scoring is two steps: count, one row of small
integers per sentence, and divide sums of rows. Resampling sentences is then resampling rows, and a
statistic is any function of summed rows, whatever was counted. All rows begin with the same two
columns, right tokens and tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riata.data.types import Ids, Starts
from riata.errors import DataError

Counts = NDArray[np.int64]
Sums = NDArray[np.float64]  # [..., K] summed rows
Scores = NDArray[np.float64]  # [...] in per cent


class CountRow(NamedTuple):
    """One line of a report, ratios in per cent; `type` is a chunk type, or the label in a report of tags."""

    type: str
    precision: float
    recall: float
    f1: float
    gold: int
    found: int
    correct: int


def percent(part: ArrayLike, whole: ArrayLike) -> Scores:
    """100 part / whole, and 0 where there is nothing to divide by, as conlleval has it."""
    above, below = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    return np.divide(100 * above, below, out=np.zeros(below.shape), where=below > 0)


def f1(correct: ArrayLike, found: ArrayLike, gold: ArrayLike) -> Scores:
    """The harmonic mean of precision and recall, 2 correct / (found + gold); 0 where both are 0."""
    return percent(2 * np.asarray(correct), np.add(found, gold))


def accuracy_of(sums: Sums) -> Scores:
    """Per cent of tokens whose label is right: a statistic of every kind of counts."""
    return percent(sums[..., 0], sums[..., 1])


def rows_by_type(types: Sequence[str], correct: Counts, found: Counts, gold: Counts) -> tuple[CountRow, ...]:
    """One row per type that is in the gold or in the prediction; arrays [types], summed over sentences."""
    scores = percent(correct, found), percent(correct, gold), f1(correct, found, gold)
    columns = [types, *(column.tolist() for column in (*scores, gold, found, correct))]
    rows = map(CountRow._make, zip(*columns, strict=True))
    return tuple(row for row in rows if row.gold or row.found)


def sums_by_sentence(values: NDArray[Any], starts: Starts) -> Counts:
    """Sums of per-token values over each sentence, [S]; an empty sentence has 0."""
    total = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return np.asarray(total[starts[1:]] - total[starts[:-1]], np.int64)


def check_tokens(gold: Ids, predicted: Ids, starts: Starts) -> None:
    """Refuse outputs of different lengths, and sentences that do not cover them."""
    if len(gold) != len(predicted):
        raise DataError(f"{len(gold)} gold labels, but {len(predicted)} predicted; expected one per token.")
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(gold) or np.any(np.diff(starts) < 0):
        raise DataError(f"Sentence starts must rise from 0 to the number of tokens, {len(gold)}.")


def check_labels(labels: Sequence[str], *outputs: Ids) -> None:
    """Refuse ids that name no label: NumPy would read -1 as the last one, in silence."""
    for ids in outputs:
        wrong = ids[(ids < 0) | (ids >= len(labels))]
        if len(wrong):
            raise DataError(f"Label id {wrong[0]} is out of range: there are {len(labels)} labels, from 0.")
