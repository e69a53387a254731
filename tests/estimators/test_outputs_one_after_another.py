"""Constraints where the output that search finds is not the answer: functions that refuse it, lists of the best, long inputs."""

import itertools
import random

import numpy as np
import pytest

from checks import refused
from riata import Tagger
from riata import constraints as c
from riata.errors import SearchError
from riata.features.templates import parse
from riata.inference.rules.integer_program import IntegerProgram
from riata.inference.rules.rule import Parts, Rule
from riata.inference.rules.rules import Rules
from riata.models.one_after_another import without

TEMPLATES = {"alone": "word[0]", "neighbours": "word[0]\nedge", "two back": "word[0]\nlabel[-2] label[-1]"}


def drawn(seed=0, sentences=30):
    draw = random.Random(seed)
    X = [[f"w{draw.randrange(5)}" for _ in range(draw.randint(1, 5))] for _ in range(sentences)]
    return X, [
        ["ABC"[int(word[1]) % 3] if draw.random() < 0.8 else draw.choice("ABC") for word in words] for words in X
    ]


def tagger(template, **params):
    return Tagger("perceptron", template=parse(TEMPLATES[template]), epochs=3, **params).fit(*drawn())


def accepts_all(_):
    return True


def few_and_apart(labels):
    return labels.count("A") == 1 and labels[0] != labels[-1]


def test_all_outputs_but_some():
    listed = [np.array(one, np.int32) for one in ([0, 1, 1], [0, 1, 2], [2, 2, 2])]
    automaton = without(listed, 3)
    for output in itertools.product(range(3), repeat=3):
        broken = Rules(3, (), (automaton,)).broken(output)
        assert bool(broken) == any(output == tuple(one) for one in listed)


@pytest.mark.parametrize("template", TEMPLATES)
def test_functions_beside_rules_give_the_best_of_all_outputs(template):
    """Against all outputs of short sentences; of longer ones, the rule alone leaves none of the best thousand."""
    model, soft = tagger(template), c.at_least(9, "B", penalty=0.25)
    rules = [c.at_most(1, "A"), soft, c.predicate(few_and_apart)]
    words = ["w0", "w3", "w0", "w1"]
    model.set_params(constraints=rules)
    free = model.twin(inference="none").predict_nbest([words], 81)[0]
    legal = [(labels, score - 0.25) for labels, score in free if few_and_apart(labels)]
    assert dict(map(text, legal))[text((model.predict([words])[0], 0))[0]] == pytest.approx(legal[0][1], abs=1e-4)
    listed = model.predict_nbest([words], 5)[0]
    assert [score for _, score in listed] == pytest.approx([score for _, score in legal[:5]], abs=1e-4)
    long = ["w0"] * 16
    for penalty in (None, 0.5):
        model.set_params(constraints=[c.at_most(1, "A"), soft, c.predicate(accepts_all, penalty=penalty)])
        expected = model.twin(constraints=[c.at_most(1, "A"), soft]).predict([long])
        assert model.predict([long]) == expected


def text(pair):
    labels, score = pair
    return "".join(labels), score


def refuses_all(_):
    return False


def test_a_function_that_makes_every_output_pay_changes_nothing():
    model, long = tagger("two back"), ["w0"] * 16
    expected = model.twin(constraints=[c.at_most(1, "A")]).predict([long])
    assert (
        model.set_params(constraints=[c.at_most(1, "A"), c.predicate(refuses_all, penalty=0.5)]).predict([long])
        == expected
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_error_about_functions_names_the_sentence(template, monkeypatch):
    monkeypatch.setattr("riata.models.constrained.MOST_REFUSED", 3)
    monkeypatch.setattr("riata.models.constrained.LONGEST_LIST", 10)
    model = tagger(template, constraints=[c.predicate(lambda labels: len(labels) < 6)])
    refused(SearchError, r"sentence 1 \(from 0\)", model.predict, [["w1"], ["w1"] * 6])


@pytest.mark.parametrize("template", TEMPLATES)
def test_lists_of_the_best_where_the_best_thousand_keep_nothing(template):
    """Each is legal, none comes twice, and the first is what predict gives."""
    model, words = tagger(template, constraints=[c.at_most(1, "A"), c.at_most(3, "B")]), ["w0"] * 12
    listed = model.predict_nbest([words], 6)[0]
    assert listed[0][0] == model.predict([words])[0]
    assert len({text(one)[0] for one in listed}) == 6
    assert all(labels.count("A") <= 1 and labels.count("B") <= 3 for labels, _ in listed)
    scores = [score for _, score in listed]
    assert scores == sorted(scores, reverse=True)
    given = [["A", *[None] * 11]]
    assert all(labels[0] == "A" for labels, _ in model.predict_nbest([words], 2, given=given)[0])


def test_long_inputs_do_not_take_long_to_repair(monkeypatch):
    """The same optimum, with and without a repair that gives up."""
    draw = np.random.default_rng(0)
    node = draw.normal(size=(40, 3))
    rules = Rules(3, tuple(Rule(None, Parts(np.arange(3) == label), 4, 4) for label in (0, 1)))
    found = IntegerProgram(listed=1).solve(node, rules)
    monkeypatch.setattr("riata.inference.rules.repair.MOST", 10)
    again = IntegerProgram(listed=1).solve(node, rules)
    assert found is not None and again is not None
    assert found.optimal and again.optimal
    assert again.value == pytest.approx(found.value)
