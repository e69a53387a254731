"""A measured number and how far it can be trusted: by its seeds, or by the sentences or documents it was scored on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from riata.scoring.counts import Counts, Scores, Sums
from riata.scoring.evaluation import STATISTICS, Evaluation
from riata.scoring.resampling import interval_over_seeds
from riata.scoring.significance import Statistic, bootstrap_interval

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Sample:
    """One number of one training; with the counts of its sentences, or documents, where it is a score of them."""

    value: float
    counts: Counts | None = None  # [S, K]
    statistic: Statistic | None = None

    @classmethod
    def of(cls, evaluation: Evaluation) -> Sample:
        """The main score, with what is resampled."""
        return cls(evaluation.score, evaluation.resampled, evaluation.statistic)

    def minus(self, other: Sample) -> Sample:
        """The difference of two scores, sentence by sentence where both know their sentences."""
        value = self.value - other.value
        first, second = self.statistic, other.statistic
        if self.counts is None or other.counts is None or first is None or second is None:
            return Sample(value)
        width = self.counts.shape[1]
        both = np.concatenate([self.counts, other.counts], axis=1)
        return Sample(value, both, lambda sums: first(sums[..., :width]) - second(sums[..., width:]))


@dataclass(frozen=True, eq=False)
class Figure:
    """A number over seeds."""

    samples: tuple[Sample, ...]  # one per seed
    sentences: bool = False  # intervals over several seeds are over sentences, too

    @classmethod
    def of(cls, *values: float) -> Figure:
        return cls(tuple(map(Sample, values)))

    @property
    def values(self) -> list[float]:
        return [sample.value for sample in self.samples]

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """95 %: of one seed, a bootstrap over sentences or documents; of several, Student's t, with sentences where asked for.

        None where there is one seed and no sentences.
        """
        scored = [
            (one.statistic, one.counts) for one in self.samples if one.counts is not None and one.statistic is not None
        ]
        if len(self.samples) > 1 and not (self.sentences and len(scored) == len(self.samples)):
            low, high = t_interval(self.values)
        elif scored:
            one = len(scored) == 1
            found = bootstrap_interval(*scored[0], level=LEVEL) if one else interval_over_seeds(scored, level=LEVEL)
            low, high = found.low, found.high
        else:
            return None
        if scored and all(statistic in STATISTICS.values() for statistic, _ in scored):  # per cent, unlike differences
            low, high = max(0.0, low), min(100.0, high)
        return low, high

    @classmethod
    def mean_of(cls, figures: Sequence[Figure]) -> Figure:
        """The mean of several numbers, seed by seed."""
        samples = tuple(map(mean_sample, zip(*(figure.samples for figure in figures), strict=True)))
        return cls(samples, all(figure.sentences for figure in figures))

    def minus(self, other: Figure) -> Figure:
        """The difference, seed by seed."""
        samples = tuple(a.minus(b) for a, b in zip(self.samples, other.samples, strict=True))
        return Figure(samples, self.sentences and other.sentences)

    def over(self, other: Figure) -> Ratio:
        """The ratio, seed by seed; of numbers that are not scores, such as times."""
        pairs = zip(self.samples, other.samples, strict=True)
        return Ratio(tuple(Sample(max(a.value, 1e-9) / max(b.value, 1e-9)) for a, b in pairs))


class Ratio(Figure):
    """By how many times one number is larger than another. Means and intervals are of logarithms, so that none is below 0."""

    @property
    def mean(self) -> float:
        return float(np.exp(np.mean(np.log(self.values))))

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        if len(self.samples) == 1:
            return None
        low, high = t_interval([float(np.log(value)) for value in self.values])
        return float(np.exp(low)), float(np.exp(high))


def mean_sample(samples: Sequence[Sample]) -> Sample:
    """The mean of several numbers of the same sentences, which are still scored together."""
    value = float(np.mean([sample.value for sample in samples]))
    counts = [sample.counts for sample in samples if sample.counts is not None]
    statistics = [sample.statistic for sample in samples if sample.statistic is not None]
    if len(counts) < len(samples) or len(statistics) < len(samples):
        return Sample(value)
    ends = np.cumsum([each.shape[1] for each in counts])[:-1]

    def mean(sums: Sums) -> Scores:
        parts = np.split(sums, ends, axis=-1)
        return np.asarray(np.mean([score(part) for score, part in zip(statistics, parts, strict=True)], axis=0))

    return Sample(value, np.concatenate(counts, axis=1), mean)


def t_interval(values: Sequence[float]) -> tuple[float, float]:
    """Of the mean, from the spread of several values."""
    from scipy.special import stdtrit  # slow to import, and few need it

    half = stdtrit(len(values) - 1, (1 + LEVEL) / 2) * np.std(values, ddof=1) / np.sqrt(len(values))
    middle = float(np.mean(values))
    return middle - float(half), middle + float(half)
