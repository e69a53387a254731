"""Sums over several columns of labels: exact ones equal enumeration, approximate ones are near and exact on trees."""

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from checks import refused
from oracle.factorial import marginals
from riata.errors import DataError, SettingError
from riata.inference.factorial import factorial_marginals
from samples import for_rows, tried


def drawn(seed, labels, length, scale, joined=True, forbid=0.0):
    """Random scores of columns with these numbers of labels; all columns are joined, or none. forbid: share of pairs that are forbidden."""
    draw = np.random.default_rng(seed)
    node = [draw.uniform(-scale, scale, (length, n)) for n in labels]
    within = [draw.uniform(-scale, scale, (length, n, n) if draw.random() < 0.5 else (n, n)) for n in labels]
    pairs = [(a, b) for b in range(len(labels)) for a in range(b)] if joined else []
    between = {(a, b): draw.uniform(-scale, scale, (labels[a], labels[b])) for a, b in pairs}
    for table in (*within, *between.values()):
        table[(draw.random(table.shape) < forbid) & (np.arange(table.shape[-1]) > 0)] = -np.inf
    return node, within, between


def distance(found, expected):
    return max(np.abs(one - other).max() for one, other in zip(found.labels, expected, strict=True))


@tried(
    60,
    seed=st.integers(0, 10**6),
    labels=st.lists(st.integers(1, 3), min_size=2, max_size=3),
    length=st.integers(1, 3),
    scale=st.sampled_from([0.1, 1.0, 5.0, 300.0]),
    forbid=st.sampled_from([0.0, 0.3]),
)
def test_exact_sums_equal_enumeration(seed, labels, length, scale, forbid):
    assume(np.prod(labels) ** length <= 300)  # all outputs are listed
    scores = drawn(seed, labels, length, scale, forbid=forbid)
    log_z, expected = marginals(*scores)
    found = factorial_marginals(*scores)
    assert found.converged
    assert found.log_z == pytest.approx(log_z, abs=1e-9, rel=1e-12)
    assert distance(found, expected) < 1e-9


@pytest.mark.parametrize("sums", ["loopy", "trp"])
@tried(30, seed=st.integers(0, 10**6), tree=st.sampled_from([((3, 2), 1, True), ((3, 2), 3, False), ((3, 1), 3, True)]))
def test_approximate_sums_are_exact_on_trees(sums, seed, tree):
    labels, length, joined = tree
    scores = drawn(seed, labels, length, 2.0, joined)
    log_z, expected = marginals(*scores)
    found = factorial_marginals(*scores, sums=sums)
    assert found.converged
    assert found.log_z == pytest.approx(log_z, abs=1e-7)
    assert distance(found, expected) < 1e-7


@pytest.mark.parametrize("sums", ["loopy", "trp"])
@pytest.mark.parametrize(("scale", "of_log_z", "of_labels"), [(0.5, 0.05, 0.02), (1.0, 0.4, 0.15)])
def test_approximate_sums_are_within_a_distance_that_grows_with_the_scores(sums, scale, of_log_z, of_labels):
    for seed in range(8):
        scores = drawn(seed, (3, 2), 4, scale)
        log_z, expected = marginals(*scores)
        found = factorial_marginals(*scores, sums=sums)
        assert found.converged
        assert abs(found.log_z - log_z) < of_log_z
        assert distance(found, expected) < of_labels


def test_both_ways_to_send_messages_come_to_the_same():
    scores = drawn(3, (4, 3), 6, 1.0)
    loopy, trees = (factorial_marginals(*scores, sums=how) for how in ("loopy", "trp"))
    assert loopy.log_z == pytest.approx(trees.log_z, abs=1e-6)
    assert distance(loopy, trees.labels) < 1e-6


def test_many_combinations_are_summed_in_parts():
    scores = drawn(1, (44, 23), 5, 1.0)
    found = factorial_marginals(*scores)
    for column in found.labels:
        assert column.sum(axis=1) == pytest.approx(np.ones(5))


@for_rows(
    "change, says",
    (lambda n, w, b: ([], [], {}), "no columns"),
    (lambda n, w, b: (n, w[:1], b), "1 tables; expected one for each of the 2"),
    (lambda n, w, b: (n, w, {(1, 0): b[0, 1]}), "pairs"),
    (lambda n, w, b: (n, w, {(0, 1): b[0, 1].T}), r"between\[0, 1\] has the shape"),
    (lambda n, w, b: ([n[0], n[1] * np.nan], w, b), "NaN"),
    (lambda n, w, b: ([np.zeros((1, 300))] * 2, [np.zeros((300, 300))] * 2, {}), "90,000 combinations"),
)
def test_scores_of_other_shapes_are_refused(change, says):
    refused(DataError, says, factorial_marginals, *change(*drawn(0, (3, 2), 3, 1.0)))


def test_unknown_sums_are_refused():
    refused(SettingError, "exact, loopy, trp", factorial_marginals, *drawn(0, (3, 2), 3, 1.0), sums="sampled")
