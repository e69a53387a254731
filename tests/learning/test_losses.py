"""Losses by name: what mira learns with each of them, and what is refused where a loss does not fit."""

import random

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from chain_problems import noise
from checks import refused, same_weights, stored
from learning.test_mira import TEMPLATES
from learning.test_online import same_model
from oracle.mira import mira
from riata import Chunker, _core, registry
from riata.choosing.losses import costs_of
from riata.errors import DataError, SettingError, UnsupportedError
from samples import embedded, for_rows, tried

DATA = embedded()[:60]


def learnt(loss=None, structure="chain", **settings_):
    asked = settings_ if loss is None else {"loss": loss, **settings_}
    return Chunker("mira", structure=structure, epochs=2, settings=asked).fit(DATA)


# --- the twin --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("loss", ["cost-matrix", "zero-one"])
@tried(15, data=st.data())
def test_weights_equal_those_of_the_twin(loss, data):
    seed = data.draw(st.integers(0, 10**6), "seed")
    k = data.draw(st.integers(1, 3), "k")
    problem = noise(seed, TEMPLATES["edges"], data.draw(st.sampled_from([None, "iob2"])), sentences=5, longest=3)
    draw, labels = random.Random(seed), problem.labels
    costs = {(a, b): 0.0 if a == b else draw.choice([0.0, 0.5, 2.0]) for a in labels for b in labels}
    orders = [_core.shuffled(len(problem.sentences), seed, epoch).tolist() for epoch in (1, 2)]
    start = problem.random_weights(seed)

    def lost(gold, found):
        if loss == "zero-one":
            return float(gold != found)
        return sum(costs[pair] for pair in zip(gold, found, strict=True))

    expected = mira(
        problem.examples(),
        labels,
        orders,
        C=0.125,
        cost=0.5,
        k=k,
        start=problem.by_name(start),
        legal=problem.is_legal,
        loss_of=lost,
        whole=loss == "zero-one",
    )
    assume(expected.closest > 1e-9)
    asked = {"C": 0.125, "cost": 0.5, "k": k, "loss": loss, "costs": [costs[a, b] for a in labels for b in labels]}
    trainer = problem.trainer(start, learner="mira", settings=asked)
    assert [problem.epoch(trainer, order)["updates"] for order in orders] == expected.updates
    same_weights(problem.by_name(trainer.last()), expected.last)


# --- as a setting ----------------------------------------------------------------------------------------------------------
def test_the_default_is_the_loss_of_the_structure():
    for structure, loss in (("chain", "hamming"), ("segments", "segments")):
        assert same_model(learnt(structure=structure), learnt(loss, structure))


@for_rows(
    "structure, losses", ("chain", ("hamming", "zero-one")), ("segments", ("segments", "hamming", "zero-one", "span"))
)
def test_losses_differ(structure, losses):
    every = [learnt(loss, structure) for loss in losses]
    assert not any(same_model(one, other) for i, one in enumerate(every) for other in every[:i])


def test_costs_that_are_all_one_are_the_hamming_loss():
    ones = learnt("cost-matrix", costs={"O": {"B-NP": 1}})
    assert same_model(ones, learnt("hamming"))


def test_a_dear_label_is_given_less_often():
    """Whatever is not B-NP must win over it by a larger margin."""
    labels = sorted(set(DATA.columns[-1].texts()))
    dear = {true: {"B-NP": 50.0} for true in labels if true != "B-NP"}

    def given_wrongly(estimator):
        test = embedded()[60:160]
        gold, found = test.columns[-1].texts(), [label for labels in estimator.predict(test) for label in labels]
        return sum(label == "B-NP" != true for true, label in zip(gold, found, strict=True))

    assert given_wrongly(learnt("cost-matrix", costs=dear)) < given_wrongly(learnt())


def test_a_square_array_is_in_alphabetical_order_and_can_be_saved(tmp_path):
    labels = sorted(set(DATA.columns[-1].texts()))
    costs = {a: {b: round(abs(i - j) / 4, 3) for j, b in enumerate(labels)} for i, a in enumerate(labels)}
    square = np.array([[costs[a][b] for b in labels] for a in labels])
    by_name, by_place = learnt("cost-matrix", costs=costs), learnt("cost-matrix", costs=square)
    assert same_model(by_name, by_place)
    assert stored(by_place, tmp_path).predict(DATA) == by_name.predict(DATA)
    other = costs_of({"costs": "[[0, 1, 2], [3, 0, 4], [5, 6, 0]]"}, ("b", "c", "a"))  # rows and columns: a, b, c
    assert other.tolist() == [[0, 4, 3], [6, 0, 5], [1, 2, 0]]


@for_rows(
    "costs, error, match",
    ([[0, 1], [1]], SettingError, "2 rows of 1 or 2 costs; expected a square array"),
    ([], SettingError, "0 rows of no costs"),
    ([[0, 1], [1, 0]], DataError, "2 rows and columns, but the data have"),
    ([[0, -1], [1, 0]], SettingError, "cost -1 .*expected a number from 0"),
    ({"O": {"B-NP": -0.5}}, SettingError, "cost -0.5 .*where the truth is O"),
    ({"O": {"B-NP": float("nan")}}, SettingError, "cost nan"),
    ({"O": {"B-NP": "x"}}, SettingError, "cost 'x'"),
    ({"O": {"O": 1}}, SettingError, "cost for 'O' where it is right"),
    ([[1]], SettingError, "diagonal"),
    ({"O": {"nothing": 2}}, DataError, "names the label 'nothing'"),
    ({"O": 2}, SettingError, "expected costs by true label"),
    ("{", SettingError, "expected costs by true label"),
    (7, SettingError, "expected costs by true label"),
    ("", SettingError, "costs is empty"),
)
def test_bad_costs_are_refused(costs, error, match):
    refused(error, match, Chunker("mira", settings={"loss": "cost-matrix", "costs": costs}).fit, DATA)


def test_a_loss_that_does_not_fit_is_refused():
    refused(UnsupportedError, "needs whole segments", Chunker("mira", settings={"loss": "segments"}).fit, DATA)
    refused(UnsupportedError, "needs losses of chunks", Chunker("mira", settings={"loss": "span"}).fit, DATA)
    on_segments = Chunker("mira", structure="segments", settings={"loss": "cost-matrix"})
    refused(UnsupportedError, "needs costs of labels", on_segments.fit, DATA)
    refused(SettingError, "which nothing reads", Chunker("mira", settings={"costs": {"O": {"B-NP": 2}}}).fit, DATA)
    weighed = Chunker("mira", class_weight="balanced", settings={"loss": "zero-one"})
    refused(UnsupportedError, "counts whole outputs", weighed.fit, DATA)


def test_every_loss_says_over_what_it_adds_up():
    for loss in registry.all_of("loss").values():
        assert loss.adds_up_over in ("tokens", "edges", "segments", "whole output")
        assert loss.needs
