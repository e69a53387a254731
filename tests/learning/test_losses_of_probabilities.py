"""Four losses of probabilities: their values by enumeration, their gradients by differences, scores of any size."""

import numpy as np
import pytest
from hypothesis import strategies as st
from test_likelihood import LABELS, TEMPLATES, Case

import riata
from checks import refused, stored
from likelihood_problems import UNKNOWN, check, point
from riata import Chunker, Tagger, _core
from riata.errors import UnsupportedError
from riata.features.templates import parse
from samples import CHUNKS, for_each, for_rows, tried

LOSSES = ("exp", "pointwise-log", "pointwise-exp")
RECIPES = ("crf-exp", "crf-pointwise", "crf-pointwise-exp")

losses = st.sampled_from(LOSSES)
cases = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from(TEMPLATES),
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


@for_each(loss=LOSSES, template=TEMPLATES)
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
