"""Numbers over seeds: their intervals, their differences, and what may be concluded from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from riata.scoring.counts import accuracy_of
from riata.scoring.figures import Figure, Sample
from riata.scoring.significance import bootstrap_interval

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=6)


def rate(sums):
    return 100 * sums[..., 0] / sums[..., 1]


def scored(seed, share):
    """A score of 200 sentences of 10 tokens each."""
    random = np.random.default_rng(seed)
    counts = np.stack([random.binomial(10, share, 200), np.full(200, 10)], axis=1)
    return Sample(float(rate(counts.sum(axis=0))), counts, rate)


@settings(deadline=None)
@given(VALUES)
def test_several_seeds_have_the_interval_of_student(values):
    figure = Figure.of(*values)
    assert figure.mean == pytest.approx(np.mean(values))
    if np.std(values) > 1e-6:
        expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert figure.interval == pytest.approx(expected)


def test_one_seed_has_the_interval_of_its_sentences():
    sample = scored(0, 0.9)
    low, high = Figure((sample,)).interval
    assert (low, high) == bootstrap_interval(rate, sample.counts)[1:3]
    assert low < sample.value < high
    assert Figure.of(3.0).interval is None


@pytest.mark.parametrize("sentences", [False, True])
def test_a_score_has_no_interval_past_100_per_cent(sentences):
    counts = [np.array([[right, 10]] * 20) for right in (10, 10, 9)]
    samples = tuple(Sample(float(accuracy_of(one.sum(axis=0))), one, accuracy_of) for one in counts)
    low, high = Figure(samples, sentences).interval
    assert [sample.value for sample in samples] == [100, 100, 90] and 0 < low < 90 and high == 100
    difference = Figure(samples, sentences).minus(Figure(samples[::-1], sentences))
    assert difference.interval[0] < -10


def test_a_difference_is_that_of_the_same_sentences():
    """Outputs that err on the same sentences differ by less than their intervals say."""
    a = scored(0, 0.9)
    better = a.counts.copy()
    better[:20, 0] = np.minimum(better[:20, 0] + 1, 10)
    b = Sample(float(rate(better.sum(axis=0))), better, rate)
    difference = Figure((b,)).minus(Figure((a,)))
    assert difference.mean == pytest.approx(b.value - a.value)
    low, high = difference.interval
    assert 0 < low < difference.mean < high
    assert Figure((a,)).interval[1] > b.value  # as single scores they could not be told apart


def test_seeds_are_paired_too():
    assert Figure.of(90, 95, 99).minus(Figure.of(89, 94, 98)).interval == pytest.approx((1, 1))
    with pytest.raises(ValueError, match="zip"):
        Figure.of(1, 2).minus(Figure.of(1))


@settings(deadline=None)
@given(st.lists(VALUES.filter(lambda v: len(v) >= 3).map(lambda v: v[:3]), min_size=1, max_size=4))
def test_the_mean_of_figures_is_taken_seed_by_seed(rows):
    found = Figure.mean_of([Figure.of(*values) for values in rows])
    assert found.values == pytest.approx(np.mean(rows, axis=0))


def test_the_mean_of_scores_knows_its_sentences():
    samples = [scored(0, 0.9), scored(1, 0.8), scored(2, 0.7)]
    found = Figure.mean_of([Figure((sample,)) for sample in samples])
    both = found.samples[0]
    assert both.statistic(both.counts.sum(axis=0)) == pytest.approx(np.mean([sample.value for sample in samples]))
    weights = np.random.default_rng(5).integers(0, 3, (4, 200))
    expected = np.mean([rate(weights @ sample.counts) for sample in samples], axis=0)
    assert both.statistic(weights @ both.counts) == pytest.approx(expected)
    assert Figure.mean_of([Figure((samples[0],)), Figure.of(50.0)]).interval is None


def test_a_ratio_is_never_below_zero():
    ratio = Figure.of(11.0, 5.0, 22.0).over(Figure.of(12.0, 20.0, 3.0))
    low, high = ratio.interval
    assert 0 < low < ratio.mean < high
    other = Figure.of(12.0, 20.0, 3.0).over(Figure.of(11.0, 5.0, 22.0))
    assert other.mean == pytest.approx(1 / ratio.mean) and other.interval == pytest.approx((1 / high, 1 / low))
