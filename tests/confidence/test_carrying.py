"""The temperature that few searches find, ceilings, and what carries both to another model."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle import confidence as oracle
from riata.confidence.calibration import COLDEST, HOTTEST
from riata.confidence.carrying import Fit, best_fit, best_temperature, carried, partners, smoothed
from samples import draws


def two_way(margins):
    """Of two outputs with these margins between their scores, how probable the first is."""

    def judge(temperatures):
        return np.stack([1 / (1 + np.exp(np.clip(-margins / t, -700, 700))) for t in temperatures])

    return judge


@settings(max_examples=draws(40), deadline=None)
@given(st.integers(0, 10**6), st.floats(-2, 2), st.floats(-3, 3))
def test_few_searches_find_the_temperature_of_least_loss(seed, scale, off):
    """Wherever the search begins: a grid of 2,000 temperatures has no better one."""
    rng = np.random.default_rng(seed)
    margins = np.abs(rng.normal(size=400)) * 10**scale * 2
    judge, asked = two_way(margins), []
    right = rng.random(400) < judge([10**scale])[0]
    assume(not right.all())

    def counted(temperatures):
        asked.extend(temperatures)
        return judge(temperatures)

    found = best_temperature(counted, right, 10 ** (scale + off), smoothed)
    grid = np.geomspace(10**scale / 50, 10**scale * 50, 2000)
    losses = [smoothed(values, right) for values in judge(grid)]
    assert smoothed(judge([found])[0], right) <= min(losses) * 1.005
    assert len(asked) <= (20 if abs(off) < 2 else 40)


@settings(max_examples=draws(50), deadline=None)
@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.booleans()), min_size=1, max_size=30))
def test_the_loss_is_that_of_its_definition(pairs):
    values, right = zip(*pairs, strict=True)
    assert smoothed(np.array(values), np.array(right)) == pytest.approx(oracle.smoothed(values, right))


def test_few_predictions_that_are_all_right_make_no_model_certain():
    judge = two_way(np.full(8, 1.0))
    found = best_temperature(judge, np.ones(8, bool), 1.0, smoothed)
    assert judge([found])[0] == pytest.approx(np.full(8, 9 / 10), abs=0.02)


def test_a_search_without_alternatives_has_no_temperature():
    assert best_fit(lambda temperatures: np.ones((len(temperatures), 40)), np.arange(40) % 4 > 0, 1.0) is None


def test_a_ceiling_is_for_what_is_wrong_at_any_temperature():
    """Every second prediction has no alternative, and every fifth of these is wrong."""
    rng = np.random.default_rng(0)
    margins = np.abs(rng.normal(size=2000)) * 2
    alone = np.arange(2000) % 2 == 0
    of_margins = two_way(margins)
    right = rng.random(2000) < np.where(alone, 1.0, of_margins([1.0])[0])
    assert best_fit(of_margins, rng.random(2000) < of_margins([1.0])[0], 1.0).ceiling == 1

    def judge(temperatures):
        return np.where(alone, 1.0, of_margins(temperatures))

    right &= rng.random(2000) < 0.8
    found = best_fit(judge, right, 1.0)
    assert found.ceiling == pytest.approx(0.8, abs=0.04)
    assert math.log(found.temperature) == pytest.approx(0, abs=0.3)


def test_partners_have_the_same_length():
    lengths = np.array([3, 2, 3, 0, 5, 3, 2, 0])
    found = partners(lengths)
    assert found.tolist() == [2, 6, 5, 3, 4, 0, 1, 7]
    assert partners(np.array([], int)).tolist() == []


def test_what_is_carried_follows_the_scale_of_scores():
    same = carried(Fit(2.0, 0.9), (3.0, 3.0), (100, 100), 0.08)
    assert same == Fit(2.0, pytest.approx(0.9))
    assert carried(Fit(2.0), (3.0, 6.0), (100, 100), 0.22) == Fit(4.0)
    more = carried(Fit(2.0, 0.9), (3.0, 3.0), (100, 1000), 0.08)
    assert more.temperature < 2.0
    assert 0.9 < more.ceiling < 1
    for fit, spreads in ((Fit(HOTTEST), (1.0, 9.0)), (Fit(COLDEST), (9.0, 1.0))):
        assert COLDEST <= carried(fit, spreads, (1, 1), 0.08).temperature <= HOTTEST
