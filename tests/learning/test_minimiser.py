"""L-BFGS and OWL-QN find minima that are known; stochastic gradient descent goes step by step with its twin on every structure."""

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.optimize import minimize

from learning.test_likelihood import cases as first_order
from learning.test_likelihood import second_order_cases as second_order
from learning.test_segment_likelihood import CASES, function_of
from oracle import sgd
from riata import Chunker, RiataWarning, _core
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning.batch.lbfgs import Minimiser, Tolerance
from riata.learning.batch.sgd import StochasticMinimiser
from riata.structures.segments.templates import parse as parse_segments
from samples import embedded, tried
from segment_problems import noise

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


@tried(30, st.integers(0, 10**6), st.integers(1, 12))
def test_quadratics_are_solved(seed, memory):
    function, _, goal = quadratic(seed)
    found = run(Minimiser(function, np.zeros(8), memory=memory, tolerance=EXACT))
    assert found.point.x == pytest.approx(goal, abs=1e-5)
    assert found.stopped is not None


@tried(20, st.integers(0, 10**6))
def test_as_low_as_scipy(seed):
    function, size = logistic(seed)
    found = run(Minimiser(function, np.zeros(size), tolerance=EXACT))
    other = minimize(function, np.zeros(size), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    assert found.point.value == pytest.approx(other.fun, rel=1e-9)


@tried(30, st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 5.0]))
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


# --- stochastic gradient descent -------------------------------------------------------------------------------------
def losses(function, sentences, weights):
    """Of each sentence, the value and the gradient of the batch objective that leaves out all others."""

    def alone(s):
        times = np.zeros(sentences)
        times[s] = weights[s] if len(weights) else 1.0
        return lambda at: _core.BatchObjective(function.potentials, times)(at, 1)

    return [alone(s) for s in range(sentences)]


def check(function, sentences, seed, weights=(), rel=1e-9):
    draw = np.random.default_rng(seed)
    start = draw.normal(size=function.size)
    passes = [draw.permutation(sentences) for _ in range(3)]
    decay, eta = 0.02, 0.3
    native = function.potentials.stochastic(np.array(weights, np.float64), decay)
    native.set(start)
    values = [native.epoch(order, eta, number > 0) for number, order in enumerate(passes)]
    expected, sums = sgd.run(losses(function, sentences, weights), start, passes, decay, eta)
    assert values == pytest.approx(sums, rel=rel)
    assert native.point() == pytest.approx(expected, rel=rel, abs=rel)


@tried(25, first_order, st.integers(0, 10**6))
def test_on_chains_it_is_its_twin(case, seed):
    check(case.function, len(case.gold), seed, case.weights)


@tried(25, second_order, st.integers(0, 10**6))
def test_on_chains_that_look_two_labels_back_it_is_its_twin(case, seed):
    check(case.function, len(case.gold), seed, case.weights)


@tried(25,
    st.builds(noise, st.integers(0, 10**6), st.sampled_from(CASES), most=st.integers(1, 4), longest=st.just(4), sentences=st.just(4)),
    st.integers(0, 10**6),
    st.sampled_from(["seen", "all"]),
    st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
)  # fmt: skip
def test_on_segments_it_is_its_twin(problem, seed, pairs, weights):
    check(function_of(problem, pairs=pairs, weights=weights), len(problem.sentences), seed, weights)


@tried(10, st.one_of(first_order, second_order), st.integers(0, 10**6))
def test_sentences_whose_scores_are_too_large_move_nothing_and_are_counted(case, seed):
    native = case.function.potentials.stochastic(np.array(case.weights, np.float64), 0.0)
    start = np.random.default_rng(seed).normal(size=case.function.size)
    order = np.arange(len(case.gold))
    native.set(start)
    native.epoch(order, 0.1, False)
    assert native.skipped == 0
    native.set(start * 1e6)
    for s in order:
        before, skipped = native.point(), native.skipped
        native.epoch(np.array([s]), 0.1, False)
        assert native.skipped == skipped or (native.point() == before).all()
    native.set(start)
    assert native.skipped == 0


def test_sentences_that_were_passed_over_are_reported():
    class Native:
        skipped = 0

        def epoch(self, order, eta, averaging):
            self.skipped += eta > 0
            return 1.0

        def set(self, start):
            self.skipped = 0

        def point(self):
            return np.zeros(2)

    minimiser = StochasticMinimiser(Native(), lambda x: 1.0, np.zeros(2), c2=1.0, seed=0, sentences=3)
    minimiser.step()
    with pytest.warns(RiataWarning, match="passed over 1 sentences in 1 passes"):
        minimiser.finish()


STRUCTURES = {
    "chain": {"template": parse("word[0]\ntag[0]\nedge")},
    "two labels back": {"template": parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] tag[0]\nedge tag[0]\nlabel[-2]")},
    "segments": {"structure": "segments", "template": parse_segments("inside word[0]\ninside tag[0]\nlast tag[0]\nlabel[-1]\nlength")},
}  # fmt: skip


@pytest.mark.parametrize("structure", STRUCTURES)
def test_it_comes_near_the_minimum_on_every_structure(structure):
    data = embedded()[:80]
    settings = {"c2": 0.5}
    exact, near = (
        Chunker("crf", settings={**settings, "optimiser": name}, **STRUCTURES[structure]).fit(data)
        for name in ("lbfgs", "sgd")
    )
    best = exact.history_[-1]["objective"]
    assert best * (1 - 1e-4) <= near.history_[-1]["objective"] <= 1.03 * best
    assert near.score(data) == pytest.approx(exact.score(data), abs=0.03)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_same_bytes_again_for_any_number_of_threads(structure):
    made = [
        Chunker("crf", epochs=3, threads=n, settings={"c2": 0.1, "optimiser": "sgd"}, **STRUCTURES[structure]).fit(
            embedded()[:30]
        )
        for n in (1, 2)
    ]
    assert to_bytes(made[0]) == to_bytes(made[1])
