"""Random rules over few slots and labels."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from riata.inference.rules.rule import HARD, Automaton, Parts, Predicate, Rule
from riata.inference.rules.rules import Rules


def is_shared(rule):
    return rule.count.slots is None and (rule.when is None or rule.when.slots is None)


def shared_rules(rules):
    """Those that are the same for all sentences; predicates are counted among the others."""
    return Rules(rules.labels, tuple(filter(is_shared, rules.rules)), rules.automata)


def own_rules(rules):
    """Those that are not shared."""
    return Rules(rules.labels, tuple(one for one in rules.rules if not is_shared(one)), (), rules.predicates)


def hardened(rules):
    """Soft ones become hard."""
    return Rules.of(rules.labels, (replace(one, penalty=HARD) for one in rules.all()))


PENALTIES = st.sampled_from([HARD, HARD, 0.5, 1.25, 3.0])


def flags(labels):
    return st.lists(st.booleans(), min_size=labels, max_size=labels).map(lambda drawn: np.array(drawn, bool))


def parts(slots, labels):
    some = st.none() | st.sets(st.integers(0, slots - 1)).map(lambda drawn: np.array(sorted(drawn), np.int32))
    return st.builds(Parts, flags(labels), some)


@st.composite
def single_rules(draw, slots, labels):
    low = draw(st.integers(0, 2))
    high = draw(st.none() | st.integers(low, low + 2))
    when = draw(st.none() | parts(slots, labels))
    return Rule(when, draw(parts(slots, labels)), low, high, draw(PENALTIES), draw(st.integers(0, 9)))


@st.composite
def automata(draw, labels):
    states = draw(st.integers(1, 3))
    table = draw(st.lists(st.integers(-1, states - 1), min_size=states * labels, max_size=states * labels))
    return Automaton(
        np.array(table, np.int32).reshape(states, labels), draw(flags(states)), draw(PENALTIES), draw(st.integers(0, 9))
    )


@st.composite
def predicates(draw, labels):
    a, b, most = draw(st.integers(1, 3)), draw(st.integers(0, 3)), draw(st.integers(1, 3))
    return Predicate(
        lambda output: (a * sum(map(int, output)) + b) % 4 < most, draw(PENALTIES), draw(st.integers(0, 9))
    )


@st.composite
def rule_sets(draw, slots, labels, with_predicates=True):
    """Rules over so many slots and labels."""
    found = draw(st.lists(single_rules(slots, labels), max_size=4)) + draw(st.lists(automata(labels), max_size=2))
    if with_predicates:
        found += draw(st.lists(predicates(labels), max_size=1))
    return Rules.of(labels, found)
