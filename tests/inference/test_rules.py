"""Which rules an output breaks, against their definition; rules as arrays; minimal sets that no output keeps together."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import refused
from oracle import rules as twin
from riata import constraints as c
from riata.errors import SearchError, UnknownNameError
from riata.inference.declared import Declared
from riata.inference.rules.rule import HARD, Automaton, Parts, Predicate, Rule
from riata.inference.rules.rules import NEVER, NO_LIMIT, Rules, pack_automata, pack_rules
from riata.inference.rules.slots import LabelNames, Slots
from riata.models.nothing_legal import conflicting, no_legal_output
from rule_problems import hardened, rule_sets
from samples import tried


def flags(*numbers, of=3):
    return np.isin(np.arange(of), numbers)


def slots(*numbers):
    return np.array(numbers, np.int32)


@given(st.integers(1, 5), st.integers(1, 3), st.booleans(), st.data())
def test_penalties_are_those_of_the_definition(count, labels, several, data):
    rules = data.draw(rule_sets(count, labels, with_predicates=not several))
    one = st.integers(-1 if rules.predicates == () else 0, labels - 1)
    slot = st.lists(one, min_size=2, max_size=2) if several else one
    output = data.draw(st.lists(slot, min_size=count, max_size=count))
    expected = twin.penalty(rules, output)
    assert rules.penalty(output) == expected
    assert sum(broken.penalty for broken in rules.broken(output)) == expected
    assert rules.is_legal(output) == (expected < HARD)


def test_what_is_broken_names_the_declared_constraint():
    at_most_one = Rule(None, Parts(flags(0)), high=1, origin=4)
    needs = Rule(Parts(flags(1)), Parts(flags(2), slots(0)), low=1, penalty=2.0, origin=5)
    ends_in_0 = Automaton(np.array([[1, 0, 0], [1, 0, 0]], np.int32), np.array([False, True]), origin=6)
    rules = Rules.of(3, [Predicate(lambda output: len(output) < 3, 0.5, 7), ends_in_0, at_most_one, needs])
    assert [(one.origin, one.penalty) for one in rules.broken([0, 0, 1])] == [(4, HARD), (5, 2.0), (6, HARD), (7, 0.5)]
    assert rules.penalty([2, 1, 0]) == 0.5
    assert rules.softened(1.0).penalty([0, 0, 1]) == 1.0 + 2.0 + 1.0 + 0.5
    assert not hardened(rules).is_legal([2, 1, 0])
    assert rules.hard().broken([1, 0]) == []
    assert not Rules(3)


def test_rules_as_arrays():
    first = Rule(None, Parts(flags(0)), high=1)
    second = Rule(Parts(flags(0), slots(1, 2)), Parts(flags(1, 2), slots(0)), low=1, penalty=0.5, origin=3)
    packed = pack_rules([[first], [], [first, second]], 3)
    assert packed.sentences.tolist() == [0, 1, 1, 3]
    assert packed.label_sets[packed.count.labels].tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 1]]
    assert len(packed.label_sets) == 2
    assert packed.when.labels.tolist() == [NEVER, NEVER, packed.count.labels[0]]
    assert packed.when.everywhere.tolist() == [0, 0, 0] and packed.count.everywhere.tolist() == [1, 1, 0]
    assert packed.when.offsets.tolist() == [0, 0, 0, 2] and packed.when.slots.tolist() == [1, 2]
    assert packed.count.offsets.tolist() == [0, 0, 0, 1] and packed.count.slots.tolist() == [0]
    assert packed.low.tolist() == [0, 0, 1] and packed.high.tolist() == [1, 1, NO_LIMIT]
    assert packed.penalty.tolist() == [HARD, HARD, 0.5] and packed.origin.tolist() == [0, 0, 3]
    assert pack_rules([], 3).label_sets.shape == (0, 3)


def test_automata_as_arrays():
    one = Automaton(np.zeros((2, 3), np.int32), np.array([False, True]), 1.5, 2)
    packed = pack_automata([one, one], 3)
    assert packed.states.tolist() == [0, 2, 4] and packed.next.shape == (4, 3)
    assert packed.accepting.tolist() == [0, 1, 0, 1] and packed.penalty.tolist() == [1.5, 1.5]
    assert pack_automata([], 3).next.shape == (0, 3)


def test_names_stand_for_labels_and_groups_go_first():
    names = LabelNames(("O", "B-PER", "I-PER", "PER"), {"PER": flags(1, of=4)}, outside=flags(0, of=4))
    assert names.flags(["PER", "I-PER"]).tolist() == [False, True, True, False]
    assert names.inside().tolist() == [False, True, True, True]
    refused(UnknownNameError, r"Unknown label 'PRE'\. Did you mean 'PER'\?", names.flags, ["PRE"])
    refused(UnknownNameError, "Unknown column 'posx'", Slots(2, names, columns={"pos": ["N", "V"]}).column, "posx")


# --- minimal sets of constraints that no output keeps together, against enumeration ----------------------------------
ABC = LabelNames(("A", "B", "C"))


def is_possible(rules, slots, among=None):
    outputs = product(range(rules.labels) if among is None else among, repeat=slots)
    return any(twin.penalty(rules, output) < HARD for output in outputs)


def conflict(rules, slots, among=None):
    """Of slots that may have all labels, or only some."""
    return conflicting(rules.hard(), lambda some: not is_possible(some, slots, among))


@tried(100, st.integers(1, 3), st.integers(1, 3), st.data())
def test_the_set_is_impossible_and_every_smaller_one_is_possible(slots, labels, data):
    rules = hardened(data.draw(rule_sets(slots, labels)))
    rules = Rules.of(labels, rules.all())
    found = conflict(rules, slots)
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
    origins = conflict(rules, 3)
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
    assert conflict(rules, 3) == [1]
    assert "keeps the constraint at_least(4, 'A')" in str(no_legal_output(declared, [1], "sentence 1"))
    assert conflict(rules, 3, among=()) == []
    assert "with or without constraints" in str(no_legal_output(declared, [], "sentence 1"))


def test_what_else_is_forbidden_takes_part():
    declared = Declared([c.at_least(1, "B"), c.at_most(1, "A")])
    assert conflict(declared.ground(Slots(2, ABC)), 2, among=(0, 2)) == [0]


@pytest.mark.parametrize("penalty", [None, 1.0])
def test_soft_constraints_are_never_in_conflict(penalty):
    rules = Declared([c.at_least(3, "A", penalty=penalty), c.exactly(1, "B")]).ground(Slots(2, ABC))
    assert (conflict(rules, 2) == [0]) == (penalty is None)
