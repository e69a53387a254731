"""Margins that the core measures along a search, on every structure, against slow twins and against enumeration."""

import itertools
import math

import numpy as np
import pytest

import joint_problems
import segment_problems
from chain_problems import UNBOUNDED, options
from checks import refused
from margin_problems import Labels, Subset, check_diagnosed, check_measured, measured, same_as_the_twin, sample
from oracle.joint import path_of
from oracle.laso import norm
from oracle.margins import FallingTruth, JointMargins, Margins, SegmentMargins
from riata import Chunker, JointTagger, Predictor
from riata.errors import UnsupportedError
from riata.features.attributes import builtin
from riata.structures.segments.templates import parse
from samples import embedded, for_each, for_rows

QUEUES = {
    "greedy": {"queue": "greedy"},
    "beam 2": {"beam": 2},
    "beam 4": {"beam": 4},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": 2, "beam_by": "prefix"},
    "beam by pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
LEVELS = [name for name in QUEUES if name not in ("beam by pending", "best-first")]


# --- the twin ----------------------------------------------------------------------------------------------------------
@for_each(truth=["random", "exact", "greedy"], encoding=[None, "iob2"], queue=QUEUES)
def test_margins_equal_those_of_the_twin(queue, encoding, truth):
    lost = 0
    for seed in range(6):
        corpus, weights = sample(seed, encoding, truth=truth, edges_by_word=seed % 2 == 1, longest=4)
        found = same_as_the_twin(corpus, weights, **QUEUES[queue])
        assert found["norm"] == pytest.approx(norm(corpus.by_name(weights)))
        assert found["most_good"] == 1
        assert (found["survival"] > 0) == (found["losses"] == 0)
        lost += found["losses"] > 0
    assert lost > 0 or truth != "random"


@pytest.mark.parametrize("queue", LEVELS)
def test_the_survival_margin_is_how_far_the_truth_may_fall(queue):
    def losses(corpus, weights, fall):
        twin = FallingTruth(corpus.labels, options(**QUEUES[queue]), corpus.legal, corpus.by_name(weights))
        twin.fall = fall
        for x, y in corpus.examples():
            twin.sentence(x, y)
        return twin.losses

    checked = 0
    for seed in range(30):
        corpus, weights = sample(seed, truth=["exact", "greedy"][seed % 2], longest=3)
        margin = measured(corpus, weights, **QUEUES[queue])["survival"]
        if not 0 < margin < math.inf:
            continue
        checked += 1
        assert losses(corpus, weights, margin - 1 / 64) == 0  # scores are multiples of 1/32
        assert losses(corpus, weights, margin) > 0
    assert checked >= 3


# --- enumeration -------------------------------------------------------------------------------------------------------
def difference(twin, x, good, bad):
    a, b = twin.phi(x, good), twin.phi(x, bad)
    return {key: a.get(key, 0.0) - b.get(key, 0.0) for key in {*a, *b}}


@pytest.mark.parametrize("encoding", [None, "iob2"])
def test_an_unbounded_beam_measures_every_prefix_that_has_not_met_the_truth_again(encoding):
    for seed in range(8):
        corpus, weights = sample(seed, encoding, truth="exact", longest=4)
        found = measured(corpus, weights, beam=UNBOUNDED)
        if found["losses"]:  # a tie
            continue
        twin = Margins(corpus.labels, options(), corpus.legal, corpus.by_name(weights))
        expected = []
        for x, y in corpus.examples():
            for t in range(1, len(x) + 1):
                ahead = []
                for bad in itertools.product(corpus.labels, repeat=t):
                    parts = next((i for i in range(t) if bad[i] != y[i]), None)
                    if parts is None or any(bad[i] == y[i] for i in range(parts, t - 1)):
                        continue
                    ends = [None] if t == len(x) else []
                    if all(corpus.legal(a, b) for a, b in itertools.pairwise([None, *bad, *ends])):
                        ahead.append(twin.dot(difference(twin, x, tuple(y[:t]), bad)))
                expected += [min(ahead)] if ahead else []
        assert found["raw"] == pytest.approx(expected)


def by_enumeration(problem, weights, x, y):
    """(raw, normalised) of every level, over all paths of that length."""
    paths, margins = [((), problem.initial(x), {})], []
    while not all(problem.is_goal(x, s) for _, s, _ in paths):
        longer = []
        for path, s, phi in paths:
            for a in problem.actions(x, s):
                more = dict(phi)
                for feature in problem.features(x, s, a):
                    name, value = feature if isinstance(feature, tuple) else (feature, 1.0)
                    more[name] = more.get(name, 0.0) + value
                longer.append(((*path, a), problem.apply(x, s, a), more))
        paths = longer
        good = [phi for _, s, phi in paths if problem.regret(x, s, y) == 0]
        bad = [phi for _, s, phi in paths if problem.regret(x, s, y) > 0]
        pairs = []
        for g, b in itertools.product(good, bad):
            delta = {k: g.get(k, 0.0) - b.get(k, 0.0) for k in {*g, *b}}
            pairs.append((sum(weights.get(k, 0.0) * v for k, v in delta.items()), norm(delta)))
        if pairs:
            margins.append((min(a for a, _ in pairs), min(a / max(1.0, length) for a, length in pairs)))
    return margins


@for_rows(
    "problem, X, Y",
    (Labels(), ["xyx", "y", "zzx"], [tuple("ABA"), ("C",), tuple("CCB")]),
    (Subset(), ["abcd", "bce", "ad"], [frozenset("bd"), frozenset("ce"), frozenset("ad")]),
    ids=["labels", "subset"],
)
@pytest.mark.parametrize("epochs", [1, 8])
def test_an_unbounded_beam_over_a_problem_measures_every_state(problem, X, Y, epochs):
    model = Predictor(problem, "laso-perceptron", beam=2, epochs=epochs, settings={"average": False}).fit(X, Y)
    found = model.diagnose(X, Y, beam=math.inf)
    expected = [level for x, y in zip(X, Y, strict=True) for level in by_enumeration(problem, model.weights(), x, y)]
    length = math.sqrt(sum(w**2 for w in model.weights().values()))
    assert found.norm == pytest.approx(length)
    assert found.raw_margins * length == pytest.approx([raw for raw, _ in expected])
    assert found.level_margins * length == pytest.approx([level for _, level in expected])
    assert found.raw_margin == min(found.raw_margins)
    assert found.level_margin == min(found.level_margins)


def test_a_greedy_search_is_measured_against_all_children_of_the_truth():
    X, Y = ["xyx", "zy"], [tuple("ABA"), tuple("CC")]
    model = Predictor(Labels(), "laso-perceptron", queue="greedy", epochs=9, settings={"average": False})
    found = model.fit(X, Y).diagnose(X, Y)
    weights, expected = model.weights(), []
    for x, y in zip(X, Y, strict=True):
        for t, a in enumerate(y):
            scores = {}
            for label in "ABC":
                pairs = [f if isinstance(f, tuple) else (f, 1.0) for f in Labels().features(x, y[:t], label)]
                scores[label] = sum(weights.get(name, 0.0) * value for name, value in pairs)
            expected.append(scores[a] - max(score for label, score in scores.items() if label != a))
    assert found.raw_margins * found.norm == pytest.approx(expected)
    assert found.survival_margin == pytest.approx(min(found.raw_margins))
    assert found.losses == 0


# --- margins of searches over segments -------------------------------------------------------------------------------
THEOREM4 = {"record": True, "alpha": 0.9, "B": float(np.sqrt(8) / 0.9), "C": float(np.sqrt(2))}
TEMPLATE = parse("inside word[0]\ninside tag[0] tag[1]\nsequence tag[0]\nlast tag[1]\nfirst tag[-1]\nlength\nlabel[-1]")


def segments(seed):
    templates = segment_problems.TEMPLATES
    return segment_problems.noise(seed, templates[(seed + 2) % len(templates)], longest=4, sentences=3)


def twin_of_segments(problem, asked, weights):
    return SegmentMargins(problem.labels, problem.most, problem.features.templates, builtin(), asked, weights)


def pairs(seed):
    templates = joint_problems.TEMPLATES
    return joint_problems.noise(seed, templates[(seed + 1) % len(templates)], ahead=bool(seed % 2), sentences=3)


STRUCTURES = {
    "segments": (segments, twin_of_segments, lambda problem, output: output),
    "tags and chunks": (pairs, JointMargins, lambda problem, output: path_of(output, problem.ahead)),
}


@for_each(structure=STRUCTURES, queue=QUEUES, truth=["random", "exact", "greedy"])
def test_margins_on_segments_and_pairs_equal_those_of_the_twin(queue, truth, structure):
    lost, (made, twin_of, path) = 0, STRUCTURES[structure]
    for seed in range(4):
        problem = made(seed)
        weights = problem.random_weights(seed)
        if truth != "random":
            problem.gold = problem.decode(weights, **({"queue": "greedy"} if truth == "greedy" else {"beam": 2**40}))
        asked = options(**QUEUES[queue])
        twin = twin_of(problem, asked, problem.by_name(weights))
        for x, y in zip(problem.sentences, problem.gold, strict=True):
            twin.sentence(x, path(problem, y))
        found = check_measured(problem.margins(weights, **asked), twin)
        assert found["norm"] == pytest.approx(norm(problem.by_name(weights)))
        lost += found["losses"] > 0
    assert lost > 0 or truth != "random"


ESTIMATORS = {
    "segments": (30, lambda **more: Chunker("laso-perceptron", structure="segments", **more), {}),
    "pairs": (20, lambda **more: JointTagger("laso-perceptron", **more), {"lookahead": False}),
    "pairs with look-ahead": (20, lambda **more: JointTagger("laso-perceptron", **more), {"lookahead": True}),
}


@for_each(name=ESTIMATORS, beam=[1, 5])
def test_what_has_learnt_its_data_is_diagnosed(name, beam):
    sentences, estimator, settings = ESTIMATORS[name]
    data = embedded()[:sentences]
    made = estimator(beam=beam, epochs=25, settings={"record": True, **settings}).fit(data)
    found = made.diagnose(data)
    check_diagnosed(made, found, beam)
    assert found.R > 1
    assert found.bounds["Corollary 2"].value >= found.updates or beam > 1


def test_theorem_4_bounds_the_updates_of_alma_on_segments():
    data = embedded()[:60]
    made = Chunker("laso-alma", structure="segments", beam=3, template=TEMPLATE, epochs=3, settings=THEOREM4)
    found = made.fit(data).diagnose(data)
    bound = found.bounds["Theorem 4"]
    assert bound.value is None or bound.value >= found.updates
    assert found.norm <= 1 + 1e-5


def test_theorem_4_bounds_the_updates_of_alma_on_pairs():
    data = embedded()[:40]
    made = JointTagger("laso-alma", beam=3, epochs=40, settings={**THEOREM4, "lookahead": False}).fit(data)
    assert made.history_[-1]["updates"] == 0
    found = made.diagnose(data)
    assert found.updates >= sum(epoch["updates"] for epoch in made.history_) > 0  # which counts sentences
    assert found.bounds["Theorem 4"].holds
    assert found.bounds["Theorem 4"].value >= found.updates
    assert found.norm <= 1 + 1e-5


def test_pairs_given_apart_are_diagnosed_alike():
    data = embedded()[:20]
    made = JointTagger("laso-perceptron", beam=2, epochs=2, settings={"record": True}).fit(data)
    words = [[token[0] for token in sentence] for sentence in data]
    pairs = [[tuple(token[1:]) for token in sentence] for sentence in data]
    assert str(made.diagnose(words, pairs)) == str(made.diagnose(data))


def test_exact_learning_has_no_search_to_diagnose():
    data = embedded()[:20]
    made = Chunker("laso-alma", structure="segments", queue="exact", epochs=1).fit(data)
    refused(UnsupportedError, "whole outputs", made.diagnose, data)
    refused(UnsupportedError, "seeds", made.set_params(queue=None, seeds=2).fit(data).diagnose, data)
