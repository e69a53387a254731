"""Which rules an output breaks, against their definition; rules as arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import rules as twin
from riata.errors import UnknownNameError
from riata.inference.rules.rule import HARD, Automaton, Parts, Predicate, Rule
from riata.inference.rules.rules import NEVER, NO_LIMIT, Rules, pack_automata, pack_rules
from riata.inference.rules.slots import LabelNames, Slots
from rule_problems import rule_sets


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
    assert not rules.hardened().is_legal([2, 1, 0])
    assert rules.hard().broken([1, 0]) == []
    assert rules.shared().rules == (at_most_one,)
    assert rules.own().rules == (needs,) and len(rules.own().predicates) == 1
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
    with pytest.raises(UnknownNameError, match=r"Unknown label 'PRE'\. Did you mean 'PER'\?"):
        names.flags(["PRE"])
    with pytest.raises(UnknownNameError, match="Unknown column 'posx'"):
        Slots(2, names, columns={"pos": ["N", "V"]}).column("posx")
