"""Minimal sets of constraints that no output keeps together, against enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import rules as twin
from riata import constraints as c
from riata.errors import SearchError
from riata.inference.declared import Declared
from riata.inference.kept import conflicting, no_legal_output
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules
from riata.inference.rules.single import allowed_one_after_the_other, one_after_the_other, with_nothing
from riata.inference.rules.slots import LabelNames, Slots
from rule_problems import rule_sets
from samples import draws

ABC = LabelNames(("A", "B", "C"))


def is_possible(rules, slots):
    return any(twin.penalty(rules, output) < HARD for output in product(range(rules.labels), repeat=slots))


@settings(max_examples=draws(100), deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_the_set_is_impossible_and_every_smaller_one_is_possible(slots, labels, data):
    rules = data.draw(rule_sets(slots, labels)).hardened()
    rules = Rules.of(labels, rules.all())
    found = conflicting(rules, np.zeros((slots, labels)))
    kept = rules.where(lambda one: one.origin in found)
    if is_possible(rules, slots):
        return  # the set is only asked for where nothing is legal
    assert not is_possible(kept, slots)
    for origin in found:
        assert is_possible(kept.where(lambda one, out=origin: one.origin != out), slots)


def test_a_conflict_is_named_with_its_sentence():
    declared = Declared(
        [c.at_least(2, "A"), c.at_most(0, "C"), c.excludes("A", "B"), c.at_least(1, "B"), c.at_most(9, "A")]
    )
    rules = declared.ground(Slots(3, ABC))
    origins = conflicting(rules, np.zeros((3, 3)))
    assert origins == [0, 2, 3] or origins == [2, 3, 0]
    error = no_legal_output(declared, origins, 'sentence 4 ("The cat")')
    assert isinstance(error, SearchError)
    assert str(error) == (
        "No output of sentence 4 (\"The cat\") keeps these 3 constraints together: at_least(2, 'A'); excludes('A', 'B'); "
        "at_least(1, 'B').\n  Leave one of them out, or give it a penalty."
    )


def test_one_constraint_may_be_too_much_and_scores_alone_too():
    declared = Declared([c.at_least(1, "B"), c.at_least(4, "A")])
    rules = declared.ground(Slots(3, ABC))
    assert conflicting(rules, np.zeros((3, 3))) == [1]
    assert "keeps the constraint at_least(4, 'A')" in str(no_legal_output(declared, [1], "sentence 1"))
    assert conflicting(rules, np.full((3, 3), -np.inf)) == []
    assert "with or without constraints" in str(no_legal_output(declared, [], "sentence 1"))


def test_what_scores_forbid_takes_part():
    declared = Declared([c.at_least(1, "B"), c.at_most(1, "A")])
    node = np.zeros((2, 3))
    node[:, 1] = -np.inf
    assert conflicting(declared.ground(Slots(2, ABC)), node) == [0]
    edge = np.zeros((3, 3))
    edge[:, 1] = edge[1, :] = -np.inf
    assert conflicting(declared.ground(Slots(2, ABC)), np.zeros((2, 3)), edge) == [0]


@given(st.integers(1, 4), st.integers(1, 3), st.booleans(), st.data())
def test_slots_with_no_label_or_several_become_slots_with_one(slots, labels, several, data):
    rules = data.draw(rule_sets(slots, labels, with_predicates=False))
    if several:
        output = np.array(data.draw(st.lists(st.integers(0, labels - 1), min_size=2 * slots, max_size=2 * slots)))
        assert one_after_the_other(rules, 2).penalty(output) == rules.penalty(output.reshape(slots, 2))
    else:
        output = np.array(data.draw(st.lists(st.integers(-1, labels - 1), min_size=slots, max_size=slots)))
        assert with_nothing(rules).penalty(np.where(output < 0, labels, output)) == rules.penalty(output)


def test_predicates_see_the_slots_as_they_were():
    names = LabelNames(("N", "V", "B", "I"), columns=np.array([0, 0, 1, 1], np.int32))
    declared = Declared([c.predicate(lambda labels: labels[0] == ("V", "I"))])
    rules = one_after_the_other(declared.ground(Slots(2, names)), 2)
    assert rules.is_legal([1, 3, 0, 2]) and not rules.is_legal([0, 3, 0, 2])
    assert allowed_one_after_the_other(1, names.columns).tolist() == [
        [0, 0, -np.inf, -np.inf],
        [-np.inf, -np.inf, 0, 0],
    ]
    optional = with_nothing(Declared([c.predicate(lambda labels: labels == ["A", None])]).ground(Slots(2, ABC)))
    assert optional.is_legal([0, 3])


@pytest.mark.parametrize("penalty", [None, 1.0])
def test_soft_constraints_are_never_in_conflict(penalty):
    rules = Declared([c.at_least(3, "A", penalty=penalty), c.exactly(1, "B")]).ground(Slots(2, ABC))
    assert conflicting(rules, np.zeros((2, 3))) == ([] if penalty else [0])
