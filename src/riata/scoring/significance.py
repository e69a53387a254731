"""How far a score, or the difference of two, can be trusted: sentences resampled, or swapped.

Both work on rows of counts, one per sentence, and on a statistic, a function of summed rows. The
statistic maps [..., K] to [...], so it scores all samples in one call; `f1_of` and `accuracy_of` do,
and so does `lambda sums: sums[..., 0] / sums[..., 1]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata.errors import DataError, SettingError
from riata.scoring.counts import Counts, Scores, Sums

Statistic = Callable[[Sums], Scores]

_CELLS = 1 << 22  # samples × sentences held at once: 32 MB
_ROUNDING = 1e-9  # equal differences of different sums may differ by their last bits


class Interval(NamedTuple):
    """A score, and between what it stays in `level` of the samples."""

    estimate: float
    low: float
    high: float
    level: float


class PairedComparison(NamedTuple):
    """statistic(a) − statistic(b), and how often chance alone gives a difference as large, either way."""

    difference: float
    p_value: float


def blocks(samples: int, sentences: int) -> Iterator[int]:
    """Sizes that add up to `samples`, each small enough to hold."""
    size = max(1, _CELLS // max(1, sentences))
    for done in range(0, samples, size):
        yield min(size, samples - done)


def _check(samples: int, *counts: Counts) -> None:
    if samples < 1:
        raise SettingError(f"samples is {samples}; expected 1 or more.")
    if any(len(rows) == 0 for rows in counts):
        raise DataError("There are no sentences to resample.")


def draws(random: np.random.Generator, samples: int, sentences: int) -> NDArray[np.float64]:
    """How often each sentence is drawn in each sample, [samples, sentences]."""
    drawn = random.integers(sentences, size=(samples, sentences))
    cells = drawn + np.arange(samples)[:, None] * sentences
    return np.bincount(cells.ravel(), minlength=cells.size).reshape(cells.shape).astype(np.float64)


def bootstrap_interval(
    statistic: Statistic, counts: Counts, *, samples: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """The percentile bootstrap: draw as many sentences with replacement, score, take the middle `level`.

    counts: [S, K], as `SpanCounts.rows` and `TagCounts.rows` give them.
    """
    _check(samples, counts)
    if not 0 < level < 1:
        raise SettingError(f"level is {level}; expected a number between 0 and 1, such as 0.95.")
    random = np.random.default_rng(seed)
    rows = counts.astype(np.float64)
    scores = [statistic(draws(random, size, len(rows)) @ rows) for size in blocks(samples, len(rows))]
    low, high = np.quantile(np.concatenate(scores), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(statistic(rows.sum(axis=0))), float(low), float(high), level)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests, corrected so that any false alarm among them is as rare as each says: Holm's procedure.

    The smallest is multiplied by the number of tests, the next by one less, and so on; none may end up below one before it.
    """
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    raised = np.maximum.accumulate(np.minimum(1.0, factors * np.asarray(p_values, np.float64)[order]))
    corrected = np.empty(len(p_values))
    corrected[order] = raised
    return [float(p) for p in corrected]


def paired_test(
    statistic: Statistic, counts_a: Counts, counts_b: Counts, *, samples: int = 10000, seed: int = 0
) -> PairedComparison:
    """Approximate randomisation, two-sided: were the two outputs of each sentence dealt by a coin?

    p = (n + 1) / (samples + 1), n the samples whose difference is at least the observed one. Only
    sentences that the outputs score differently are dealt: the others change no sum.

    counts_a, counts_b: [S, K], rows of the same sentences.
    """
    _check(samples, counts_a, counts_b)
    if counts_a.shape != counts_b.shape:
        shapes = f"{counts_a.shape} and {counts_b.shape}"
        raise DataError(f"Counts of shape {shapes}; expected two outputs for the same sentences.")
    a, b = (counts.sum(axis=0, dtype=np.float64) for counts in (counts_a, counts_b))
    change = (counts_b - counts_a)[np.any(counts_a != counts_b, axis=1)].astype(np.float64)
    difference = float(statistic(a) - statistic(b))
    random = np.random.default_rng(seed)
    reached = 0
    for size in blocks(samples, len(change)):
        moved = random.integers(2, size=(size, len(change)), dtype=np.int8).astype(np.float64) @ change
        dealt = np.abs(statistic(a + moved) - statistic(b - moved))
        reached += int(np.count_nonzero(dealt >= abs(difference) - _ROUNDING))
    return PairedComparison(difference, (reached + 1) / (samples + 1))
