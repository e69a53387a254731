"""Stochastic gradient descent: one native learner on every structure, beside a twin whose gradients are those of batch objectives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from learning.test_likelihood import cases as first_order
from learning.test_second_order_likelihood import cases as second_order
from learning.test_segment_likelihood import CASES, function_of
from oracle import sgd
from riata import _core
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning.batch.sgd import StochasticMinimiser
from riata.structures.segments.templates import parse as parse_segments
from samples import draws, embedded, quietly
from segment_problems import noise


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


@settings(max_examples=draws(25), deadline=None)
@given(first_order, st.integers(0, 10**6))
def test_on_chains_it_is_its_twin(case, seed):
    check(case.function, len(case.gold), seed, case.weights)


@settings(max_examples=draws(25), deadline=None)
@given(second_order, st.integers(0, 10**6))
def test_on_chains_that_look_two_labels_back_it_is_its_twin(case, seed):
    check(case.function, len(case.gold), seed, case.weights)


@settings(max_examples=draws(25), deadline=None)
@given(
    st.builds(noise, st.integers(0, 10**6), st.sampled_from(CASES), most=st.integers(1, 4), longest=st.just(4), sentences=st.just(4)),
    st.integers(0, 10**6),
    st.sampled_from(["seen", "all"]),
    st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
)  # fmt: skip
def test_on_segments_it_is_its_twin(problem, seed, pairs, weights):
    check(function_of(problem, pairs=pairs, weights=weights), len(problem.sentences), seed, weights)


@settings(max_examples=draws(10), deadline=None)
@given(st.one_of(first_order, second_order), st.integers(0, 10**6))
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
    with pytest.warns(riata.RiataWarning, match="passed over 1 sentences in 1 passes"):
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
        quietly(riata.Chunker("crf", settings={**settings, "optimiser": name}, **STRUCTURES[structure]), data)
        for name in ("lbfgs", "sgd")
    )
    best = exact.history_[-1]["objective"]
    assert best * (1 - 1e-4) <= near.history_[-1]["objective"] <= 1.03 * best
    assert near.score(data) == pytest.approx(exact.score(data), abs=0.03)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_same_bytes_again_for_any_number_of_threads(structure):
    made = [
        quietly(
            riata.Chunker(
                "crf", epochs=3, threads=n, settings={"c2": 0.1, "optimiser": "sgd"}, **STRUCTURES[structure]
            ),
            embedded()[:30],
        )
        for n in (1, 2)
    ]
    assert to_bytes(made[0]) == to_bytes(made[1])
