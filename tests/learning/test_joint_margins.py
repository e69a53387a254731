"""Margins of searches for tags and chunk labels, against a slow twin; and joint taggers that are diagnosed."""

import numpy as np
import pytest

from chain_problems import options
from joint_problems import TEMPLATES, noise
from learning.test_margins import QUEUES
from oracle.joint import path_of
from oracle.laso import norm
from oracle.margins import JointMargins
from riata import JointTagger
from samples import embedded, for_each


@for_each(truth=["random", "exact", "greedy"], queue=QUEUES)
def test_margins_equal_those_of_the_twin(queue, truth):
    lost = 0
    for seed in range(4):
        problem = noise(seed, TEMPLATES[(seed + 1) % len(TEMPLATES)], ahead=bool(seed % 2), sentences=3)
        weights = problem.random_weights(seed)
        if truth != "random":
            asked = {"queue": "greedy"} if truth == "greedy" else {"beam": 2**40}
            problem.gold = problem.decode(weights, **asked)
        asked = options(**QUEUES[queue])
        twin = JointMargins(problem, asked, problem.by_name(weights))
        for x, y in zip(problem.sentences, problem.gold, strict=True):
            twin.sentence(x, path_of(y, problem.ahead))
        found = problem.margins(weights, **asked)
        assert found["raw"] == pytest.approx(twin.raw)
        assert found["normalised"] == pytest.approx(twin.normalised)
        assert found["survival"] == pytest.approx(twin.survival)
        assert found["losses"] == twin.losses
        assert found["largest_difference"] == pytest.approx(twin.largest)
        assert found["norm"] == pytest.approx(norm(problem.by_name(weights)))
        lost += found["losses"] > 0
    assert lost > 0 or truth != "random"


@for_each(ahead=[False, True], beam=[1, 5])
def test_tags_and_chunks_are_diagnosed(beam, ahead):
    data = embedded()[:20]
    made = JointTagger("laso-perceptron", beam=beam, epochs=25, settings={"record": True, "lookahead": ahead})
    made.fit(data)
    assert made.history_[-1]["updates"] == 0
    found = made.diagnose(data)
    assert found.losses == 0
    assert found.survival_margin > 0
    assert found.update_margin > 0
    assert found.R > 1
    assert found.bounds["Theorem 1"].holds
    assert found.bounds["Theorem 1"].value >= found.updates
    assert found.bounds["Corollary 2"].holds == (beam == 1)
    assert found.bounds["Corollary 2"].value >= found.updates or beam > 1


def test_theorem_4_bounds_the_updates_of_alma():
    data = embedded()[:40]
    settings = {"record": True, "lookahead": False, "alpha": 0.9, "B": float(np.sqrt(8) / 0.9), "C": float(np.sqrt(2))}
    made = JointTagger("laso-alma", beam=3, epochs=40, settings=settings).fit(data)
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
