"""Losses by name: what mira learns with each; and losses of probabilities, by enumeration and by differences."""

import random

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from test_likelihood import LABELS, Case
from test_likelihood import TEMPLATES as OF_CHAINS

import riata
from chain_problems import noise
from checks import refused, same_weights, stored
from learning.test_mira import TEMPLATES
from learning.test_online import same_model
from likelihood_problems import UNKNOWN, check, point
from oracle.mira import mira
from riata import Chunker, Tagger, _core, registry
from riata.choosing.losses import costs_of
from riata.errors import DataError, SettingError, UnsupportedError
from riata.features.templates import parse
from samples import CHUNKS, embedded, for_each, for_rows, tried

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


# --- four losses of probabilities ------------------------------------------------------------------------------------
LOSSES = ("exp", "pointwise-log", "pointwise-exp")
RECIPES = ("crf-exp", "crf-pointwise", "crf-pointwise-exp")

losses = st.sampled_from(LOSSES)
cases = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from(OF_CHAINS),
    st.sampled_from(list(LABELS)),
    pairs=st.sampled_from(["seen", "all"]),
    weights=st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
    bits=st.sampled_from([0, 10]),
    given=st.booleans(),
    unknown=st.sampled_from([0.0, 0.4, 1.0]),
    loss=losses,
)


@tried(60, cases, st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 3.0]))
def test_value_and_gradient(case, seed, scale):
    check(case, point(case, seed, scale), seed, loss=case.loss)


@for_each(loss=LOSSES, template=OF_CHAINS)
def test_single_precision_is_near_and_threads_change_nothing(template, loss):
    for seed in range(4):
        single, double = (
            Case(seed, template, "iob2", kind=kind, unknown=0.3 * (seed % 2), loss=loss)
            for kind in (_core.ChainPotentials, _core.ChainPotentials64)
        )
        at = np.random.default_rng(seed).normal(size=single.function.size)
        value, gradient = single.function(at, 1)
        exact, slope = double.function(at, 1)
        assert value == pytest.approx(exact, rel=1e-4)
        assert gradient == pytest.approx(slope, abs=1e-4 * max(1, abs(exact)))
        for threads in (2, 3, 8):
            again, other = single.function(at, threads)
            assert again == value and (other == gradient).all()


@for_each(loss=LOSSES, kind=[_core.ChainPotentials, _core.ChainPotentials64])
def test_scores_of_any_size(kind, loss):
    """Factors of scores in the hundreds underflow, and 1 / P overflows; logarithms do neither."""
    for seed in range(5):
        case = Case(seed, "word[0]\nedge", None, kind=kind, loss=loss)
        at = point(case, seed, 300.0)
        value, gradient = case.function.objective(at, 1)
        assert np.isfinite(value) and np.isfinite(gradient).all()
        if loss == "pointwise-log":
            assert value == pytest.approx(case.value(at, loss), rel=1e-5)
        else:
            exponent = np.log(value) + case.function.objective.scale
            assert exponent == pytest.approx(largest_exponent(case, at, loss), rel=1e-5, abs=1.5)


@for_each(loss=LOSSES, unknown=[0.0, 0.4])
def test_logarithms_agree_with_factors(loss, unknown):
    """Scores around 60 leave the range of factors in single precision, but not in double precision."""
    for seed in range(8):
        single, double = (
            Case(seed, "word[0]\nedge", None, kind=kind, loss=loss, unknown=unknown)
            for kind in (_core.ChainPotentials, _core.ChainPotentials64)
        )
        at = point(single, seed, 60.0)
        value, gradient = single.function.objective(at, 1)
        exact, slope = double.function.objective(at, 1)
        shift = np.exp(double.function.objective.scale - single.function.objective.scale)
        assert value == pytest.approx(exact * shift, rel=1e-4)
        assert gradient == pytest.approx(slope * shift, abs=1e-4 * max(1, abs(slope * shift).max()))


def largest_exponent(case, at, loss):
    """The largest -log P of a sentence, or of a label, which is all of an exponential loss that counts where scores are large."""
    found = []
    for number, gold in enumerate(case.gold):
        case.weights = np.eye(len(case.gold))[number]
        if loss == "exp":
            found.append(case.value(at))
            continue
        for t in range(len(gold)):
            kept = np.where(np.arange(len(gold)) == t, gold, UNKNOWN)
            case.gold[number] = kept
            found.append(case.value(at))
        case.gold[number] = gold
    return max(found)


@pytest.mark.parametrize("recipe", RECIPES)
def test_they_learn_and_are_saved(recipe, tmp_path):
    train = riata.load("embedded", "train")[:100]
    model = Chunker(recipe, epochs=40, settings={"c2": 0.1}, threads=1).fit(train)
    values = [event["objective"] for event in model.history_]
    assert values == sorted(values, reverse=True)
    assert model.score(train) > 0.95
    assert stored(model, tmp_path).predict(train) == model.predict(train)
    assert model.predict_marginals(train[:1])


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_penalty_of_absolute_weights_makes_most_zero(recipe):
    train = riata.load("embedded", "train")[:60]
    few, many = (Chunker(recipe, epochs=60, settings={"c1": c1, "c2": 0.0}, threads=1).fit(train) for c1 in (1.0, 0.01))
    assert (few.model_.weights.flat() != 0).sum() < (many.model_.weights.flat() != 0).sum()


@pytest.mark.parametrize("recipe", RECIPES[1:])
def test_structures_without_sums_of_labels_are_refused(recipe):
    refused(UnsupportedError, "label sums", Chunker(recipe, structure="segments").fit, CHUNKS)


def test_labels_count_alone_where_they_are_told_to():
    """The pointwise loss of one token is the sequential loss of a sentence of one token."""
    words, labels = [["a"], ["b"], ["a"]], [["X"], ["Y"], ["Y"]]
    whole, single = (
        Tagger(recipe, settings={"c2": 0.5}, threads=1).fit(words, labels) for recipe in ("crf", "crf-pointwise")
    )
    assert single.model_.weights.flat() == pytest.approx(whole.model_.weights.flat(), abs=1e-4)


@pytest.mark.parametrize("recipe", ("crf", *RECIPES))
def test_empty_sentences_change_nothing(recipe):
    words, tags = [["a", "b"], ["b", "a", "c"], ["c"]], [["X", "Y"], ["Y", "X", "Z"], ["Z"]]
    made = [
        Tagger(recipe, epochs=5, template=parse("word[0]\nedge"), settings={"c2": 0.1}).fit(
            [*none, *words, *none], [*none, *tags, *none], listener=lambda _: None
        )
        for none in ([], [[]], [[], [], []])
    ]
    for other in made[1:]:
        assert other.state_features_ == made[0].state_features_
        assert other.transition_features_ == made[0].transition_features_


@pytest.mark.parametrize("recipe", ("crf", *RECIPES))
def test_data_without_a_choice_have_no_loss(recipe):
    """One label for all, a dictionary that leaves the truth alone, or no sentence that counts: the logarithm of the loss is that of 0."""
    words, tags = [["a", "b"], ["b", "a", "c"]], [["X", "Y"], ["Y", "X", "Z"]]
    for y, dictionary, weights in (([["X"] * 2, ["X"] * 3], 0, None), (tags, 1, None), (tags, 0, [0, 0])):
        tagger = Tagger(recipe, template=parse("word[0]\nedge"), settings={"c2": 0.1, "dictionary": dictionary})
        tagger.fit(words, y, sample_weight=weights)
        assert not tagger.state_features_ and len(tagger.history_) == 1
        if weights is None:
            assert tagger.predict(words) == y


@for_rows(
    "loss, seed, scale, weights",
    ("exp", 95, 30, ()),
    ("pointwise-log", 0, 80, ()),
    ("pointwise-exp", 6, 30, ()),
    ("pointwise-exp", 6, 16, (1e6,) * 4),
)
def test_products_of_large_and_small_numbers_stay_in_single_precision(loss, seed, scale, weights):
    """Points at which a factor of the gradient times a message of the sums was once infinite, and the gradient no number."""
    functions = [
        Case(seed, "word[0]\nedge", None, kind=kind, loss=loss, weights=weights).function.objective
        for kind in (_core.ChainPotentials, _core.ChainPotentials64)
    ]
    at = scale * point(Case(seed, "word[0]\nedge", None, loss=loss), seed, 1.0)
    (value, gradient), (exact, slope) = (function(at, 1) for function in functions)
    shift = np.exp(functions[1].scale - functions[0].scale)
    assert value == pytest.approx(exact * shift, rel=1e-4)
    assert gradient == pytest.approx(slope * shift, abs=1e-3 * max(1, abs(slope * shift).max()))
