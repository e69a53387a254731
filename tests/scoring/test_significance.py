"""Intervals and tests against enumeration of all samples, and on outputs whose quality is known."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import refused
from riata.errors import DataError, SettingError
from riata.scoring.counts import accuracy_of
from riata.scoring.significance import bootstrap_interval, holm, paired_test
from riata.scoring.spans import f1_of
from samples import tried


def right_of(sentences, chance, seed, length=20):
    """Rows (right tokens, tokens) of an output that is right with this chance."""
    right = np.random.default_rng(seed).binomial(length, chance, size=sentences)
    return np.stack([right, np.full(sentences, length)], axis=1)


def chunk_rows(sentences, chance, seed):
    """Rows of `SpanCounts`, five gold and five found chunks per sentence."""
    correct = np.random.default_rng(seed).binomial(5, chance, size=sentences)
    five = np.full(sentences, 5)
    return np.stack([correct, five, correct, five, five], axis=1)


def all_deals(a, b):
    """The exact p-value: every way to exchange the outputs of the sentences."""
    observed = abs(accuracy_of(a.sum(0)) - accuracy_of(b.sum(0)))
    reached = []
    for swap in itertools.product([False, True], repeat=len(a)):
        one, other = np.where(np.array(swap)[:, None], b, a), np.where(np.array(swap)[:, None], a, b)
        reached.append(abs(accuracy_of(one.sum(0)) - accuracy_of(other.sum(0))) >= observed - 1e-9)
    return np.mean(reached)


@pytest.mark.parametrize(("statistic", "rows"), [(accuracy_of, right_of), (f1_of, chunk_rows)])
def test_the_interval_contains_the_estimate_and_shrinks_with_more_data(statistic, rows):
    small, large = (bootstrap_interval(statistic, rows(n, 0.8, seed=1)) for n in (50, 5000))
    for interval in (small, large):
        assert interval.low < interval.estimate < interval.high
    # A hundred times the sentences: a tenth of the width.
    assert (large.high - large.low) == pytest.approx((small.high - small.low) / 10, rel=0.35)


def test_the_interval_has_the_width_of_the_normal_approximation():
    interval = bootstrap_interval(accuracy_of, right_of(2000, 0.9, seed=2), samples=4000)
    error = 100 * np.sqrt(0.9 * 0.1 / 40_000)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    intervals = [bootstrap_interval(accuracy_of, right_of(200, 0.7, seed), level=0.9) for seed in range(200)]
    covered = sum(interval.low <= 70 <= interval.high for interval in intervals)
    assert 165 <= covered <= 195


def test_a_higher_level_is_a_wider_interval():
    rows = right_of(100, 0.8, seed=3)
    narrow, wide = (bootstrap_interval(accuracy_of, rows, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_equal_sentences_leave_no_doubt():
    interval = bootstrap_interval(accuracy_of, np.array([[3, 4]] * 10))
    assert (interval.low, interval.estimate, interval.high) == (75, 75, 75)


def test_the_same_seed_gives_the_same_answers_and_another_seed_others():
    a, b = right_of(300, 0.8, seed=4), right_of(300, 0.79, seed=5)
    assert bootstrap_interval(accuracy_of, a, seed=1) == bootstrap_interval(accuracy_of, a, seed=1)
    assert bootstrap_interval(accuracy_of, a, seed=1) != bootstrap_interval(accuracy_of, a, seed=2)
    assert paired_test(accuracy_of, a, b, seed=1) == paired_test(accuracy_of, a, b, seed=1)
    assert paired_test(accuracy_of, a, b, seed=1) != paired_test(accuracy_of, a, b, seed=2)


def test_samples_beyond_one_block_are_all_drawn(monkeypatch):
    a = right_of(40, 0.8, seed=6)
    b = a.copy()
    calls = []

    def watched(sums):
        calls.append(len(sums) if sums.ndim > 1 else 0)
        return accuracy_of(sums)

    monkeypatch.setattr("riata.scoring.significance._CELLS", 400)
    bootstrap_interval(watched, a, samples=25)
    assert sorted(calls) == [0, 5, 10, 10]
    calls.clear()
    b[:, 0] = (a[:, 0] + 1) % 20  # no sentence has the same score twice
    paired_test(watched, a, b, samples=25)
    assert sorted(calls) == [0, 0, 5, 5, 10, 10, 10, 10]


def test_identical_outputs_differ_by_nothing_with_p_one():
    rows = right_of(50, 0.8, seed=8)
    assert paired_test(accuracy_of, rows, rows.copy()) == (0, 1)


def test_equal_totals_on_different_sentences_have_p_one():
    a, b = np.array([[1, 2], [2, 2]]), np.array([[2, 2], [1, 2]])
    assert paired_test(accuracy_of, a, b) == (0, 1)


def test_differences_equal_but_for_rounding_are_equal():
    # Chunks (correct, found, gold). As dealt: 8/12 − 2/8 = 5/12; the second exchanged: 4/12 − 6/8 = −5/12.
    a, b = np.array([[0, 0, 1, 4, 1], [0, 0, 3, 3, 4]]), np.array([[0, 0, 0, 0, 1], [0, 0, 1, 3, 4]])
    assert paired_test(f1_of, a, b) == (pytest.approx(500 / 12), 1)


@pytest.mark.parametrize(("statistic", "rows"), [(accuracy_of, right_of), (f1_of, chunk_rows)])
def test_a_clearly_better_output_gets_the_smallest_p(statistic, rows):
    result = paired_test(statistic, rows(500, 0.9, seed=9), rows(500, 0.7, seed=10), samples=999)
    assert result.difference == pytest.approx(20, abs=3)
    assert result.p_value == 1 / 1000


def test_two_outputs_of_one_quality_are_seldom_called_different():
    results = [
        paired_test(accuracy_of, right_of(100, 0.8, seed), right_of(100, 0.8, seed + 1000), samples=400)
        for seed in range(200)
    ]
    small = sum(result.p_value <= 0.1 for result in results)
    assert 5 <= small <= 40


@tried(25, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=7))
def test_the_p_value_is_that_of_all_deals(pairs):
    a, b = (np.array([[right, 5] for right in side]) for side in zip(*pairs, strict=True))
    assert paired_test(accuracy_of, a, b, samples=4000).p_value == pytest.approx(all_deals(a, b), abs=0.05)


@tried(50, st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=12))
def test_exchanging_the_outputs_only_turns_the_sign(numbers):
    table = np.array(numbers)
    a, b = table[:, :2], table[:, 2:]
    there, back = (paired_test(accuracy_of, *pair, samples=200) for pair in ((a, b), (b, a)))
    assert there.difference == -back.difference
    assert there.p_value == back.p_value


def test_what_cannot_be_resampled_is_refused():
    rows = right_of(3, 0.5, seed=11)
    refused(DataError, "no sentences", bootstrap_interval, accuracy_of, rows[:0])
    refused(DataError, r"\(3, 2\) and \(2, 2\)", paired_test, accuracy_of, rows, rows[:2])
    refused(SettingError, "samples is 0", paired_test, accuracy_of, rows, rows, samples=0)
    refused(SettingError, "level is 95", bootstrap_interval, accuracy_of, rows, level=95)


def test_two_thousand_sentences_take_half_a_second():
    a, b = chunk_rows(2000, 0.9, seed=12), chunk_rows(2000, 0.89, seed=13)
    begin = time.perf_counter()
    bootstrap_interval(f1_of, a)
    assert time.perf_counter() - begin < 0.5
    begin = time.perf_counter()
    paired_test(f1_of, a, b)
    assert time.perf_counter() - begin < 2


def test_holm_by_hand():
    """0.01 · 3 = 0.03; 0.03 · 2 = 0.06; 0.04 · 1 = 0.04, but not below the one before."""
    assert holm([0.03, 0.01, 0.04]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.5))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values, level):
    """Go up from the smallest p; stop at the first above level / (number of those left)."""
    rejected = set()
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for step, i in enumerate(order):
        if p_values[i] * (len(p_values) - step) > level:
            break
        rejected.add(i)
    assert {i for i, p in enumerate(holm(p_values)) if p <= level} == rejected
