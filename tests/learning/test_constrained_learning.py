"""Learning without inference, before it and during it, against their slow twins (oracle.constrained)."""

import itertools
import random
import re

import pytest

from checks import refused, same_weights
from oracle import features as twin
from oracle.constrained import with_inference, without_inference
from packed_weights import weights_of
from riata import Tagger
from riata import constraints as c
from riata._core import shuffled
from riata.errors import RiataWarning, SearchError, SettingError, UnsupportedError
from riata.features.attributes import builtin
from riata.features.templates import parse
from samples import for_each, for_rows

TEMPLATE = "number(0)[0]\nnumber(0)[-1]\nnumber(1)[0]\nbias[0]"
LOCAL = {"recipe": "perceptron", "template": parse(TEMPLATE), "settings": {"precision": "double", "average": False}}
RULES = [c.at_most(1, "A"), c.requires("B", "A"), c.transitions(forbidden=[("C", "C")])]


def drawn(seed, sentences=8):
    """Numbers and legal labels at random. Numbers are no binary fractions, so that scores do not tie."""
    rng = random.Random(seed)
    X, y = [], []
    while len(X) < sentences:
        n = rng.randint(1, 4)
        labels = [rng.choice("ABC") for _ in range(n)]
        if is_legal(None, labels):
            X.append([(str(round(rng.uniform(-1, 1), 6)), str(round(rng.uniform(-1, 1), 6))) for _ in range(n)])
            y.append(labels)
    return X, y


def is_legal(_, labels):
    few = labels.count("A") <= 1 and ("B" not in labels or "A" in labels)
    return few and all(pair != ("C", "C") for pair in itertools.pairwise(labels))


def examples(X, y):
    return [(twin.inputs(x, parse(TEMPLATE), builtin()), labels) for x, labels in zip(X, y, strict=True)]


def orders(X, first, last):
    return [shuffled(len(X), 0, epoch).tolist() for epoch in range(first, last + 1)]


@for_each(seed=range(5), inference=["none", "after"])
def test_a_chain_without_neighbouring_labels_learns_local_classifiers(seed, inference):
    X, y = drawn(seed)
    tagger = Tagger(**LOCAL, epochs=3, constraints=RULES, inference=inference).fit(X, y)
    same_weights(weights_of(tagger.model_), without_inference(examples(X, y), tagger.classes_, orders(X, 1, 3)))


@pytest.mark.parametrize("seed", range(8))
def test_learning_during_inference_equals_its_twin(seed):
    """It goes on from weights of one epoch, since at zero all outputs tie."""
    X, y = drawn(seed)
    tagger = Tagger(**LOCAL, epochs=1).fit(X, y)
    start = weights_of(tagger.model_)
    tagger.set_params(constraints=RULES, inference="during", epochs=4, warm_start=True)
    tagger.fit(X, y)
    expected = with_inference(examples(X, y), tagger.classes_, orders(X, 2, 5), is_legal, start)
    same_weights(weights_of(tagger.model_), expected)
    assert all(is_legal(None, labels) for labels in tagger.predict(X))


def test_partial_fit_learns_under_constraints_too():
    X, y = drawn(3)
    whole = Tagger(**LOCAL, epochs=1, constraints=RULES, inference="during").fit(X, y)
    parts = Tagger(**LOCAL, constraints=RULES, inference="during").partial_fit(X, y)
    same_weights(weights_of(whole.model_), weights_of(parts.model_))


@pytest.mark.parametrize("recipe", ["laso-perceptron", "laso-alma", "early", "max-violation", "standard"])
@pytest.mark.parametrize("structure", ["chain", "segments"])
def test_searches_learn_under_constraints(recipe, structure):
    X, y = drawn(1, 12)
    X = [[(f"{float(a):.0f}",) for a, _ in sentence] for sentence in X]
    tagger = Tagger(recipe, structure=structure, constraints=RULES[:2], inference="during", epochs=3, beam=2)
    tagger.fit(X, y)
    for labels in tagger.predict(X):
        assert labels.count("A") <= 1
        assert "B" not in labels or "A" in labels


def test_true_outputs_that_break_constraints_are_counted_and_learnt_from():
    X, y = drawn(2)
    y[0] = ["A"] * len(y[0])
    X[1], y[1] = X[1][:1] * 2, ["A", "A"]
    for recipe in ("perceptron", "laso-perceptron"):
        tagger = Tagger(recipe, template=parse(TEMPLATE), constraints=RULES, inference="during", epochs=2)
        with pytest.warns(RiataWarning, match="true outputs break constraints"):
            tagger.fit(X, y)
        assert all(is_legal(None, labels) for labels in tagger.predict(X))


def test_what_true_outputs_break_is_named():
    X, y = drawn(2)
    y = [["A", *("B" for _ in labels[1:])] for labels in y]
    y[3][0] = "B"
    rules = ["at_most(9, 'A')", "at_least(1, 'A')", c.predicate(starts_with_a), "at_most(0, 'B', penalty=1)"]
    said = f"1 of {len(y)} true outputs break constraints (the first: sentence 3, from 0, breaks "
    for some, named in ((rules, "at_least(1, 'A'), " + repr(rules[2])), (rules[2:], repr(rules[2]))):
        tagger = Tagger("perceptron", template=parse(TEMPLATE), constraints=some, epochs=1)
        with pytest.warns(RiataWarning, match=re.escape(f"{said}{named}). No prediction can be right there.")):
            tagger.fit(X, y)
        assert tagger.predict(X[3:4])[0][0] == "A"


def test_functions_are_not_asked_while_learning_and_it_is_said():
    X, y = drawn(2)
    tagger = Tagger("perceptron", template=parse(TEMPLATE), constraints=[c.predicate(starts_with_a, penalty=1)])
    with pytest.warns(RiataWarning, match="asked by predictions, not while learning"):
        tagger.set_params(inference="during", epochs=1).fit(X, y)


def starts_with_a(labels):
    return labels[0] == "A"


@for_rows(
    "params, error, message",
    ({"recipe": "crf"}, UnsupportedError, "learns from more than the best output"),
    ({"recipe": "mira"}, UnsupportedError, "learns from more than the best output"),
    ({"recipe": "perceptron", "shards": 2}, UnsupportedError, "shards is 2"),
    ({"recipe": "perceptron", "constraints": None}, SettingError, "there are no constraints"),
    ({"recipe": "laso-alma", "structure": "segments", "queue": "exact"}, UnsupportedError, "step=alma"),
    ({"recipe": "perceptron", "inference": "before"}, SettingError, "expected 'none', 'after' or 'during'"),
)
def test_what_learning_under_constraints_refuses(params, error, message):
    X, y = drawn(0)
    refused(error, message, Tagger(**{"constraints": RULES, "inference": "during", **params}).fit, X, y)


@pytest.mark.parametrize("params", [{}, {"inference": "during"}, {"dev": 0.3}, {"recipe": "crf"}])
def test_training_goes_on_where_no_output_is_legal(params):
    """Sentences that are too short for a constraint: with development data, and where the prior is chosen on some, too."""
    X, y = drawn(3, 20)
    settings = {"recipe": "perceptron", "template": parse(TEMPLATE), "epochs": 2, **params}
    tagger = Tagger(constraints=[c.at_least(4, "B")], **settings).fit(X, y)
    assert tagger.predict([X[0][:1] * 4]) == [["B"] * 4]
    refused(SearchError, r"keeps the constraint at_least\(4, 'B'\)", tagger.predict, [X[0][:1]])
