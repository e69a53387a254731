"""Margins of searches over segments, against a slow twin; and estimators that are diagnosed."""

import numpy as np
import pytest

from chain_problems import options
from checks import refused
from learning.test_margins import QUEUES
from oracle.laso import norm
from oracle.margins import SegmentMargins
from riata import Chunker
from riata.errors import UnsupportedError
from riata.features.attributes import builtin
from riata.features.segments import parse
from samples import embedded, for_each
from segment_problems import TEMPLATES, noise


@for_each(truth=["random", "exact", "greedy"], queue=QUEUES)
def test_margins_equal_those_of_the_twin(queue, truth):
    lost = 0
    for seed in range(4):
        problem = noise(seed, TEMPLATES[(seed + 2) % len(TEMPLATES)], longest=4, sentences=3)
        weights = problem.random_weights(seed)
        if truth != "random":
            asked = {"queue": "greedy"} if truth == "greedy" else {"beam": 2**40}
            problem.gold = problem.decode(weights, **asked)
        asked = options(**QUEUES[queue])
        parts = (problem.features.templates, builtin(), asked, problem.by_name(weights))
        twin = SegmentMargins(problem.labels, problem.most, *parts)
        for x, y in zip(problem.sentences, problem.gold, strict=True):
            twin.sentence(x, y)
        found = problem.margins(weights, **asked)
        assert found["raw"] == pytest.approx(twin.raw)
        assert found["normalised"] == pytest.approx(twin.normalised)
        assert found["survival"] == pytest.approx(twin.survival)
        assert found["losses"] == twin.losses
        assert found["largest_difference"] == pytest.approx(twin.largest)
        assert found["norm"] == pytest.approx(norm(problem.by_name(weights)))
        lost += found["losses"] > 0
    assert lost > 0 or truth != "random"


TEMPLATE = parse("inside word[0]\ninside tag[0] tag[1]\nsequence tag[0]\nlast tag[1]\nfirst tag[-1]\nlength\nlabel[-1]")


@pytest.mark.parametrize("beam", [1, 5])
def test_chunks_are_diagnosed(beam):
    data = embedded()[:30]
    made = Chunker("laso-perceptron", structure="segments", beam=beam, epochs=25)
    made.set_params(settings={"record": True}).fit(data)
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
    data = embedded()[:60]
    settings = {"record": True, "alpha": 0.9, "B": float(np.sqrt(8) / 0.9), "C": float(np.sqrt(2))}
    made = Chunker("laso-alma", structure="segments", beam=3, template=TEMPLATE, epochs=3, settings=settings)
    found = made.fit(data).diagnose(data)
    bound = found.bounds["Theorem 4"]
    assert bound.value is None or bound.value >= found.updates
    assert found.norm <= 1 + 1e-5


def test_exact_learning_has_no_search_to_diagnose():
    data = embedded()[:20]
    made = Chunker("laso-alma", structure="segments", queue="exact", epochs=1).fit(data)
    refused(UnsupportedError, "whole outputs", made.diagnose, data)
    refused(UnsupportedError, "seeds", made.set_params(queue=None, seeds=2).fit(data).diagnose, data)
