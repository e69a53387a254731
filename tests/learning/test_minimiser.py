"""L-BFGS and OWL-QN: they find minima that are known, step by step, and say why they stop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from riata.learning.batch.lbfgs import Minimiser, Tolerance
from samples import draws

EXACT = Tolerance(gradient=1e-9, gain=0.0)


def quadratic(seed, size=8):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(size, size))
    matrix, goal = a @ a.T + np.eye(size), rng.normal(size=size) * 3
    return (lambda x: (0.5 * (x - goal) @ matrix @ (x - goal), matrix @ (x - goal))), matrix, goal


def logistic(seed, examples=40, size=6):
    """Convex, and not quadratic."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(examples, size)), rng.choice([-1.0, 1.0], examples)

    def function(w):
        margin = y * (x @ w)
        return float(np.logaddexp(0, -margin).sum() + 0.05 * w @ w), -(x.T @ (y / (1 + np.exp(margin)))) + 0.1 * w

    return function, size


def run(minimiser, most=500):
    for _ in range(most):
        if minimiser.stopped:
            break
        minimiser.step()
    return minimiser


@settings(max_examples=draws(30), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_quadratics_are_solved(seed, memory):
    function, _, goal = quadratic(seed)
    found = run(Minimiser(function, np.zeros(8), memory=memory, tolerance=EXACT))
    assert found.point.x == pytest.approx(goal, abs=1e-5)
    assert found.stopped is not None


@settings(max_examples=draws(20), deadline=None)
@given(st.integers(0, 10**6))
def test_as_low_as_scipy(seed):
    function, size = logistic(seed)
    found = run(Minimiser(function, np.zeros(size), tolerance=EXACT))
    other = minimize(function, np.zeros(size), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    assert found.point.value == pytest.approx(other.fun, rel=1e-9)


@settings(max_examples=draws(30), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 5.0]))
def test_an_l1_penalty_ends_where_no_side_falls(seed, l1):
    """The conditions of a minimum: a gradient of -l1 or +l1 at weights that are not zero, and no more than that at those that are."""
    function, size = logistic(seed)
    found = run(Minimiser(function, np.zeros(size), l1=l1, tolerance=EXACT))
    x, gradient = found.point.x, found.point.gradient
    there = x != 0
    assert gradient[there] == pytest.approx(-l1 * np.sign(x[there]), abs=1e-5)
    assert (np.abs(gradient[~there]) <= l1 + 1e-6).all()
    assert found.point.value == pytest.approx(function(x)[0] + l1 * np.abs(x).sum())


def test_a_large_penalty_leaves_nothing():
    function, size = logistic(3)
    found = run(Minimiser(function, np.zeros(size), l1=1e3))
    assert not found.point.x.any()
    assert "converged" in found.stopped


def test_every_step_goes_down():
    function, size = logistic(5)
    for l1 in (0.0, 0.5):
        minimiser = Minimiser(function, np.full(size, 5.0), l1=l1, tolerance=EXACT)
        values = [minimiser.point.value]
        while not minimiser.stopped and len(values) < 100:
            minimiser.step()
            values.append(minimiser.point.value)
        assert values == sorted(values, reverse=True)


def test_why_it_stops():
    function, _, goal = quadratic(0)
    assert "gradient" in Minimiser(function, goal).stopped
    curved, size = logistic(1)
    slow = run(Minimiser(curved, np.zeros(size), tolerance=Tolerance(gradient=0.0, gain=0.5, period=1)))
    assert "gained less" in slow.stopped
    # A value that cannot fall any more for its rounding, though the gradient says that it should.
    rough = run(Minimiser(lambda x: (float(np.round(x @ x, 1)), 2 * x + 1e-3), np.full(4, 1e-4), tolerance=EXACT))
    assert "precision" in rough.stopped


def test_infinite_values_are_walked_around():
    def function(x):
        return (float(-np.log(x[0]) + x[0]), np.array([1 - 1 / x[0]])) if x[0] > 0 else (np.inf, np.array([np.nan]))

    assert run(Minimiser(function, np.array([8.0]), tolerance=EXACT)).point.x[0] == pytest.approx(1.0, abs=1e-6)
