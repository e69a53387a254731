"""The cost of training, in instructions: linear in the data, at most linear in the beam."""

import itertools

import pytest

from benchmarks import growth


@pytest.fixture(scope="module")
def rows():
    if growth.missing():
        pytest.skip(growth.missing())
    return growth.measure()["rows"]


@pytest.mark.slow
def test_cost_is_linear_in_the_data(rows):
    per_token = [row["instructions"] / row["tokens"] for row in rows if row["by"] == "data"]
    assert len(per_token) == len(growth.DATA)
    for less, more in itertools.pairwise(per_token):  # a little cheaper with more data: fewer updates per token
        assert 0.8 * less < more < 1.05 * less


@pytest.mark.slow
def test_cost_is_at_most_linear_in_the_beam(rows):
    cost = {row["beam"]: row["instructions"] for row in rows if row["by"] == "beam"}
    assert sorted(cost) == list(growth.BEAMS)
    for narrow, wide in itertools.pairwise(growth.BEAMS):
        assert cost[narrow] < cost[wide] <= cost[narrow] * wide / narrow
