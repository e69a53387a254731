"""The likelihood of segments: its value by enumeration, its gradient by differences, its bytes by threads, its limits by logarithms."""

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from likelihood_problems import Likelihood
from oracle import segments as oracle
from riata import _core
from samples import tried
from segment_problems import EXACT_TEMPLATES, LABELS, TEMPLATES, noise, segment_problem

EVERY_ROLE = (
    "first word[0] word[1]\nlast tag[-1]\ninside word[0]\ninside word[0] tag[1] word[2]\nsequence word[0]\n"
    "around tag[0]\nlength\nlabel[-1]\nlabel[-1] first tag[-1] tag[0]"
)
CASES = [*EXACT_TEMPLATES, "around tag[0]\ninside tag[0] tag[1]", EVERY_ROLE]
KINDS = {_core.SegmentWeights: _core.SegmentPotentials, _core.SegmentWeights64: _core.SegmentPotentials64}


def function_of(problem, *, pairs="seen", weights=(), kind=_core.SegmentWeights64, gold=None):
    return Likelihood(
        KINDS[kind],
        problem.features.index,
        problem.weights(kind),
        problem.instances,
        problem.codes(problem.gold if gold is None else gold),
        pairs,
        weights=weights,
    )


def enumerated(problem, function, at, weights=()):
    """-log P from the scores of every segmentation, by the model at this point."""
    model = function.model(at)
    truth = problem.scores(model, problem.gold)
    every = [oracle.segmentations(len(x), problem.labels, problem.most) for x in problem.sentences]
    scores = np.array(
        [problem.scores(model, [one[turn % len(one)] for one in every]) for turn in range(max(map(len, every)))]
    )
    total = 0.0
    for s, one in enumerate(every):
        if all(size <= problem.most for size, _ in problem.gold[s]):
            loss = np.logaddexp.reduce(scores[: len(one), s]) - truth[s]
            total += (weights[s] if len(weights) else 1) * loss
    return total


problems = st.builds(
    noise,
    st.integers(0, 10**6),
    st.sampled_from(CASES),
    most=st.integers(1, 4),
    longest=st.just(4),
    sentences=st.just(4),
    labels=st.sampled_from([LABELS, ("A", "B"), ("O",)]),
)


@tried(
    60,
    problems,
    st.integers(0, 10**6),
    st.sampled_from([0.1, 1.0, 30.0]),
    st.sampled_from(["seen", "all"]),
    st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
)
def test_value_and_gradient(problem, seed, scale, pairs, weights):
    function = function_of(problem, pairs=pairs, weights=weights)
    at = np.random.default_rng(seed).normal(size=function.size) * scale
    value, gradient = function(at, 1)
    assert value == pytest.approx(enumerated(problem, function, at, weights), rel=1e-9, abs=1e-9)
    step = 1e-5
    for i in np.random.default_rng(seed).choice(function.size, min(8, function.size), replace=False):
        there = np.zeros_like(at)
        there[i] = step
        slope = (function(at + there, 1)[0] - function(at - there, 1)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("template", CASES)
def test_the_gradient_is_what_is_expected_less_the_truth(template):
    """Beside the expectations that lattice updates are made of, which go through every feature of every segment."""
    for seed in range(3):
        problem = noise(seed, template, longest=6)
        function = function_of(problem, pairs="all")
        at = np.random.default_rng(seed).normal(size=function.size)
        model = function.model(at)
        parts = (problem.features.index, problem.instances)
        _, (_, places, values) = model.sums_of(*parts)
        flat = np.zeros(len(model.flat()))
        np.add.at(flat, places, values)
        _, places, values = model.features_of(*parts, problem.codes(problem.gold))
        np.add.at(flat, places, -values)
        expected = np.zeros(len(at))
        for i in range(len(at)):
            unit = np.zeros(len(at))
            unit[i] = 1
            expected[i] = flat[np.flatnonzero(function.model(unit).flat())].sum()
        assert function(at, 2)[1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("template", CASES)
def test_single_precision_is_near_and_threads_change_nothing(template):
    for seed in range(3):
        problem = noise(seed, template, most=5, longest=9, sentences=12)
        single, double = (function_of(problem, kind=kind) for kind in KINDS)
        at = np.random.default_rng(seed).normal(size=single.size)
        value, gradient = single(at, 1)
        exact, slope = double(at, 1)
        assert value == pytest.approx(exact, rel=1e-5)
        assert gradient == pytest.approx(slope, abs=2e-5)
        for threads in (2, 3, 8):
            again, other = single(at, threads)
            assert again == value and (other == gradient).all()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_beyond_what_factors_hold(kind):
    """Weights of hundreds: their exponentials vanish, or are infinite."""
    for seed, template in enumerate(CASES):
        problem = noise(seed, template, longest=4, sentences=4)
        function = function_of(problem, kind=kind)
        at = np.random.default_rng(seed).normal(size=function.size) * 400
        value, gradient = function(at, 2)
        assert value == pytest.approx(enumerated(problem, function, at), rel=1e-5, abs=1e-2)
        assert np.isfinite(gradient).all()
        exact = function_of(problem)(at, 1)[1]
        assert gradient == pytest.approx(exact, abs=0.05)


def test_features_that_no_true_segment_has_stay_out():
    sentence = [("a", "x"), ("b", "x"), ("c", "y")]
    problem = segment_problem("sequence word[0]\nlength", [sentence], [((2, "A"), (1, "O"))], 3)
    seen, every = (function_of(problem, pairs=pairs) for pairs in ("seen", "all"))
    assert seen.size == 4  # the words a b and c, and two lengths; a is only where a b begins
    assert every.size == 4 * len(LABELS)
    value, _ = seen(np.zeros(4), 1)
    assert value == pytest.approx(np.log(len(oracle.segmentations(3, LABELS, 3))))


def test_sentences_whose_truth_is_too_long_are_left_out():
    sentences = [[("a", "x"), ("b", "x"), ("c", "y")], [("a", "x"), ("a", "y")], [("b", "y")]]
    problem = segment_problem(EVERY_ROLE, sentences, [((3, "A"),), ((2, "B"),), ((1, "O"),)], 2)
    function = function_of(problem)
    assert function.potentials.left_out == 1
    at = np.random.default_rng(0).normal(size=function.size)
    value, gradient = function(at, 1)
    assert value == pytest.approx(enumerated(problem, function, at))
    others = segment_problem(EVERY_ROLE, sentences[1:], problem.gold[1:], 2)
    assert function.size == function_of(others).size
    assert np.isfinite(gradient).all()
    nothing = segment_problem("length", sentences[:1], problem.gold[:1], 2)
    assert function_of(nothing)(np.empty(0), 1)[0] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_sentence(kind):
    """Thousands of tokens: no product of probabilities leaves the range of numbers."""
    rng = np.random.default_rng(0)
    words = [(str(rng.integers(20)), str(rng.integers(3))) for _ in range(5_000)]
    gold = tuple((1, LABELS[i]) for i in rng.integers(0, 3, 5_000))
    problem = segment_problem("inside word[0]\nlabel[-1]\nsequence tag[0]", [words], [gold], 2)
    function = function_of(problem, kind=kind)
    at = rng.normal(size=function.size)
    value, gradient = function(at, 1)
    model = function.model(at)
    log_z = model.sums_of(problem.features.index, problem.instances)[0][0]
    assert value == pytest.approx(log_z - problem.scores(model, [gold])[0], rel=1e-5)
    assert np.isfinite(gradient).all()


def test_points_and_models_are_the_same_numbers():
    problem = noise(4, EVERY_ROLE)
    function = function_of(problem)
    at = np.random.default_rng(4).normal(size=function.size)
    assert (function.point(function.model(at)) == at).all()
    other = problem.random_weights(3)  # other rows, in another order
    model = function.model(function.point(other))
    assert problem.scores(model, problem.gold) == pytest.approx(problem.scores(other, problem.gold))
    assert (function.point(problem.weights()) == 0).all()


def test_bad_arguments_are_refused():
    problem = noise(0, CASES[0])
    function = function_of(problem)
    refused(Exception, "point", function, np.zeros(function.size + 1), 1)
    refused(Exception, "weights", function_of, problem, weights=[1.0])
    refused(Exception, "segments", function_of, problem, gold=problem.gold[1:])
    beyond = next(t for t in TEMPLATES if "label[-2]" in t)
    refused(Exception, r"label\[-1\]", function_of, noise(0, beyond))
