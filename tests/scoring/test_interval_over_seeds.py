"""Intervals over seeds and sentences together, against simulated scores whose spread is known."""

import numpy as np
import pytest

from riata.scoring.figures import Figure, Sample, t_interval
from riata.scoring.resampling import interval_over_seeds
from riata.scoring.significance import bootstrap_interval
from samples import for_each

SENTENCES, SAMPLES = 60, 200


def mean_of(sums):
    return sums[..., 0] / sums[..., 1]


def table(random, seeds, by_seed, by_sentence, by_both):
    """Of every training, a number for each sentence, whose true mean is 0. The three spreads are those of the mean over all sentences."""
    root = np.sqrt(SENTENCES)
    values = by_seed * random.normal(size=(seeds, 1)) + by_sentence * root * random.normal(size=(1, SENTENCES))
    values = values + by_both * root * random.normal(size=(seeds, SENTENCES))
    return [(mean_of, np.stack([row, np.ones(SENTENCES)], axis=1)) for row in values]


def covered(seeds, *spreads, times=150):
    """How often the interval contains the true mean."""
    random = np.random.default_rng(seeds)
    found = [interval_over_seeds(table(random, seeds, *spreads), samples=SAMPLES) for _ in range(times)]
    return np.mean([one.low <= 0 <= one.high for one in found])


@for_each(seeds=[3, 5], spreads=[(1, 0, 0), (0, 1, 0), (1, 1, 0), (0.3, 1, 1)])
def test_the_true_mean_is_in_it_as_often_as_it_says(seeds, spreads):
    assert 0.88 <= covered(seeds, *spreads) <= 1


def test_what_is_due_to_both_makes_it_wide_rather_than_narrow():
    assert covered(3, 0, 0, 1) >= 0.95


def test_sentences_alone_would_miss_what_seeds_do():
    random = np.random.default_rng(0)
    runs = [table(random, 3, 1, 0.2, 0) for _ in range(150)]

    def of_one(run):
        return bootstrap_interval(mean_of, run[0][1], samples=SAMPLES)

    assert np.mean([of_one(run).low <= 0 <= of_one(run).high for run in runs]) < 0.5


def test_its_limits_are_the_two_intervals_that_it_is_made_of():
    random = np.random.default_rng(1)
    seeds_alone = table(random, 4, 1, 0, 0)
    found = interval_over_seeds(seeds_alone)
    assert (found.low, found.high) == pytest.approx(t_interval([rows[0, 0] for _, rows in seeds_alone]), rel=0.02)
    one = table(random, 1, 0, 1, 0)
    assert interval_over_seeds(one, samples=1000)[1:3] == bootstrap_interval(mean_of, one[0][1])[1:3]


def test_figures_have_it_where_they_are_asked_for_it():
    random = np.random.default_rng(2)
    samples = tuple(Sample(float(mean_of(rows.sum(axis=0))), rows, mean) for mean, rows in table(random, 3, 1, 1, 0))
    plain, both = Figure(samples), Figure(samples, sentences=True)
    assert plain.interval == t_interval(plain.values)
    assert both.interval[0] < plain.interval[0] and both.interval[1] > plain.interval[1]
    assert both.minus(both).interval == (0, 0)
    assert both.minus(both).sentences and Figure.mean_of([both, both]).sentences and not both.minus(plain).sentences
    assert Figure(tuple(map(Sample, plain.values)), sentences=True).interval == plain.interval, "no sentences are known"
