"""Margins of searches over segments, and for tags and chunk labels, against slow twins; and estimators that are diagnosed."""

import numpy as np
import pytest

import joint_problems
import segment_problems
from chain_problems import options
from checks import refused
from learning.test_margins import QUEUES
from margin_problems import check_diagnosed, check_measured
from oracle.joint import path_of
from oracle.laso import norm
from oracle.margins import JointMargins, SegmentMargins
from riata import Chunker, JointTagger
from riata.errors import UnsupportedError
from riata.features.attributes import builtin
from riata.features.segments import parse
from samples import embedded, for_each

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
def test_margins_equal_those_of_the_twin(queue, truth, structure):
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
