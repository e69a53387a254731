"""Weights of sentences: 0 leaves a sentence out, for every recipe that learns from a file or from memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import riata
from riata import registry
from riata.models.weights_by_name import by_name
from samples import quietly

CORPUS = riata.load("embedded", "train", ("word", "tag", "chunk"))[:12]
OTHERS = riata.load("embedded", "test", ("word", "tag", "chunk"))[:8]
TREES = [
    [("The", "DT", "2", "det"), ("bus", "NN", "3", "nsubj"), ("stopped", "VBD", "0", "root")],
    [("She", "PRP", "2", "nsubj"), ("waits", "VBZ", "0", "root")],
    [
        ("Old", "JJ", "2", "amod"),
        ("trams", "NNS", "3", "nsubj"),
        ("run", "VBP", "0", "root"),
        ("daily", "RB", "3", "advmod"),
    ],
    [("It", "PRP", "2", "nsubj"), ("rains", "VBZ", "0", "root"), ("here", "RB", "2", "advmod")],
]
ONCE = ("hmm", "crf", "crf-exp", "crf-pointwise", "memm", "semicrf")  # one objective, or counts


def named(estimator: Any) -> Any:
    """Its weights by name: n-grams have other numbers where the words of sentences that were left out came first."""
    if estimator.model_.structure == "kernel-chain":  # its weights have no names
        return [pytest.approx(best) for ((_, best),) in estimator.predict_nbest(CORPUS, k=1)]
    found = by_name(estimator.model_).heaviest(10**6)
    return {
        (str(one.feature), label): pytest.approx(one.weight, rel=1e-5, abs=1e-7)
        for label, all_ in found.items()
        for one in all_
    }


def chunker(recipe: str, **more: Any) -> Any:
    return riata.Chunker(recipe, epochs=2, threads=1, **more)


@pytest.mark.parametrize("recipe", registry.names("recipe"))
def test_a_sentence_of_weight_zero_is_left_out(recipe: str) -> None:
    """The labels and words of the sentences that are left out are others, and their number changes the order of the rest."""
    weights = np.tile([1.0, 0.0, 2.0, 0.5, 0.0, 1.0], 2)
    learnt = np.flatnonzero(weights)
    one = quietly(chunker(recipe), CORPUS, sample_weight=weights)
    other = quietly(chunker(recipe), [CORPUS[i] for i in learnt], sample_weight=weights[learnt])
    assert named(one) == named(other)
    assert one.classes_ == other.classes_
    assert one.facts_["sentences"] == len(learnt)


@pytest.mark.parametrize(
    "make",
    [
        lambda: riata.JointTagger("max-violation", epochs=2),
        lambda: riata.JointTagger("crf", structure="factorial", epochs=2),
        lambda: riata.Tagger(passes=2, folds=2, epochs=2),
        lambda: chunker("mira", dev=0.25),
        lambda: chunker("mira", class_weight="balanced"),
    ],
    ids=["joint", "factorial", "two passes", "dev", "balanced"],
)
def test_other_estimators_leave_it_out_too(make: Any) -> None:
    weights = np.tile([1.0, 0.0], 6)
    one = quietly(make(), CORPUS, sample_weight=weights)
    other = quietly(make(), CORPUS[np.flatnonzero(weights)], sample_weight=weights[::2])
    assert named(one) == named(other)


@pytest.mark.parametrize(
    "given", [{"recipe": "laso-perceptron"}, {"recipe": "mira"}, {"recipe": "mira", "tags": "own"}], ids=str
)
def test_parsers_leave_it_out_too(given: dict[str, Any]) -> None:
    weights = np.array([1.0, 0.0, 1.0, 1.0])
    one = quietly(riata.DependencyParser(epochs=2, **given), TREES, sample_weight=weights)
    other = quietly(riata.DependencyParser(epochs=2, **given), [TREES[0], *TREES[2:]])
    assert one.predict(TREES[1:2]) == other.predict(TREES[1:2])
    assert named(one) == named(other)


@pytest.mark.parametrize("recipe", ONCE)
def test_a_weight_of_two_is_the_sentence_twice(recipe: str) -> None:
    given = (
        {}
        if recipe == "hmm"
        else {"c2": 0.5, "precision": "double", "gain_tolerance": 1e-9, "gradient_tolerance": 1e-7}
    )
    weights = np.tile([2.0, 1.0], 6)
    twice = [i for i in range(12) for _ in range(int(weights[i]))]
    one, other = (
        quietly(riata.Chunker(recipe, epochs=60, calibrated=False, **given), data, sample_weight=weighs)
        for data, weighs in ((CORPUS, weights), (CORPUS[np.array(twice)], None))
    )
    for found, expected in zip(one.predict_proba(OTHERS), other.predict_proba(OTHERS), strict=True):
        places = [one.classes_.index(label) for label in other.classes_]  # in the order of counts
        assert np.asarray(found)[:, places] == pytest.approx(np.asarray(expected), abs=1e-3)


def test_where_all_weights_are_zero_nothing_is_left_out() -> None:
    made = quietly(chunker("perceptron"), CORPUS, sample_weight=np.zeros(len(CORPUS)))
    assert made.classes_ == quietly(chunker("perceptron"), CORPUS).classes_
