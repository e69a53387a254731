"""Functions of users in constraints: their arguments and answers; and names of labels that stand for each other."""

import warnings

import numpy as np
import pytest

import riata
from riata import constraints as c
from riata.errors import RiataWarning, SearchError, SettingError
from riata.features.templates import parse
from samples import CHUNKS, INPUTS

X = [["a", "a", "b"], ["b", "a"], ["a"], ["b", "b"]]
Y = [["A", "A", "B"], ["B", "A"], ["A"], ["B", "B"]]


@pytest.fixture(scope="module")
def tagger():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiataWarning)
        return riata.Tagger("perceptron", template=parse("word[0]"), epochs=3).fit(X, Y)


def at_most(k):
    return lambda labels: labels.count("A") <= k


def test_another_function_of_the_same_name_is_another_constraint(tagger):
    for k in (0, 1, 2, 0):
        tagger.set_params(constraints=[c.predicate(at_most(k))])
        assert tagger.predict([["a", "a", "a"]])[0].count("A") == k
    report = tagger.set_params(constraints=[c.predicate(at_most(0)), c.predicate(at_most(2))]).constraint_report(
        [["a"] * 2]
    )
    assert list(report.broken.values()) == [1, 0]


def with_slots(labels, slots):
    return slots.count == len(labels)


def with_slots_by_name(labels, slots=None):
    return slots.count == len(labels)


def with_a_value(labels, most=1):
    return np.bool_(labels.count("A") <= most)


@pytest.mark.parametrize(("function", "found"), [(with_slots, 3), (with_slots_by_name, 3), (with_a_value, 1)])
def test_a_second_argument_is_the_slots_unless_it_has_a_value(tagger, function, found):
    tagger.set_params(constraints=[c.predicate(function)])
    assert tagger.predict([["a", "a", "a"]])[0].count("A") == found


def test_functions_of_other_arguments_are_refused_when_declared():
    with pytest.raises(
        SettingError, match=r"which needs 3 arguments; expected a function of labels, or of labels and slots"
    ):
        c.predicate(lambda labels, slots, more: True)


@pytest.mark.parametrize(
    ("answer", "said"), [(None, r"None; .* False\.\n  Its `return`"), ("no", "'no'"), (np.ones(2), "array")]
)
def test_answers_are_true_or_false(tagger, answer, said):
    tagger.set_params(constraints=[c.predicate(lambda labels: answer)])
    with pytest.raises(SettingError, match=rf"of a constraint returned {said}"):
        tagger.predict([["a"]])


def test_names_that_stand_for_one_label_are_refused_as_one_name_is():
    labels = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
    for rule, said in (
        (c.requires("B-NP", "NP", side="after"), "'B-NP' on both sides"),
        (c.requires(["I-NP", "NP"], "B-NP"), "'B-NP' on both sides"),
        (c.excludes("VP", "NP", "B-NP"), "'B-NP' twice"),
    ):
        with pytest.raises(SettingError, match=said):
            riata.Chunker("perceptron", constraints=[rule], epochs=1).fit(INPUTS, labels)


def test_labels_that_are_given_are_named_where_they_break_constraints(tagger):
    tagger.set_params(constraints=[c.at_most(1, "A")])
    with pytest.raises(
        SearchError,
        match=r"sentence 1 \(from 0\) with the labels that are given keeps the constraint at_most\(1, 'A'\)",
    ):
        tagger.predict([["a"], ["b", "b"]], given=[[None], ["A", "A"]])
    with pytest.raises(SearchError, match=r"sentence 1 \(from 0\) keeps the constraint at_least\(2, 'A'\)"):
        tagger.set_params(constraints=[c.at_least(2, "A")]).predict([["a", "a"], ["a"]], given=[["A", None], [None]])


def test_a_report_without_inference_says_why(tagger):
    with pytest.raises(SettingError, match="inference is 'none': predictions do not look at the constraints"):
        tagger.twin(constraints=[c.at_most(1, "A")], inference="none").constraint_report([["a"]])


def test_a_file_of_rules_may_start_with_a_mark(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("at_most(1, 'A')\n", encoding="utf-8-sig")
    assert c.read(path) == [c.at_most(1, "A")]
