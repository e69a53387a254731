"""Automata and scores of pairs in an integer program: one unit flows from the first slot to the last.

Given whole numbers for the labels of slots, the flow is determined and whole by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.arrays import Scores
from riata.inference.rules.rule import HARD, Automaton

if TYPE_CHECKING:
    from riata.inference.rules.inequalities import Program

Array = NDArray[Any]


def add_automaton(program: Program, numbers: Array, automaton: Automaton, labels: Array) -> None:
    """numbers: [slot][class], the variable of a class at a slot, or -1. labels: [class], one label of each."""
    table, accepting = automaton.next[:, labels], automaton.accepting
    if automaton.penalty < HARD:  # a dead automaton lives on in a state of its own, and pays at the end
        dead = len(table)
        table = np.vstack([np.where(table < 0, dead, table), np.full(len(labels), dead)])
        accepting = np.append(accepting, False)
    kinds, kind_of = np.unique(table, axis=1, return_inverse=True)  # classes that this automaton reads alike
    kind_of = kind_of.ravel()
    possible = _possible(numbers, kind_of, kinds.shape[1])
    if not _can_break(kinds, accepting, possible):
        return
    used = _used(kinds, accepting, possible, automaton.penalty == HARD)
    slot, state, kind = np.nonzero(used)
    after = kinds[state, kind]
    pays = (slot == len(numbers) - 1) & ~accepting[after]
    flows = program.add_variables(np.where(pays, -automaton.penalty if automaton.penalty < HARD else 0.0, 0.0), False)
    # What flows through a kind of classes at a slot is what the slot has chosen of it.
    zeros = np.zeros(len(numbers) * kinds.shape[1])
    rows = program.add_rows(zeros, zeros).reshape(len(numbers), kinds.shape[1])
    program.put(rows[slot, kind], flows)
    there = numbers >= 0
    at, of = np.nonzero(there)
    program.put(rows[at, kind_of[of]], numbers[there], -1.0)
    # What enters a state leaves it.
    zeros = np.zeros((len(numbers) - 1) * len(table))
    rows = program.add_rows(zeros, zeros).reshape(len(numbers) - 1, len(table))
    program.put(rows[slot[slot > 0] - 1, state[slot > 0]], flows[slot > 0])
    earlier = slot < len(numbers) - 1
    program.put(rows[slot[earlier], after[earlier]], flows[earlier], -1.0)


def _possible(numbers: Array, kind_of: Array, kinds: int) -> Array:
    """[slot][kind]: whether some class of the kind is possible."""
    found = np.zeros((len(numbers), kinds), bool)
    at, of = np.nonzero(numbers >= 0)
    found[at, kind_of[of]] = True
    return found


def _can_break(table: Array, accepting: Array, possible: Array) -> bool:
    """Whether some way through the possible kinds dies, or ends in a state that does not accept."""
    reached = np.zeros(len(table), bool)
    reached[0] = True
    for kinds in possible:
        after = table[reached][:, kinds]
        if (after < 0).any():
            return True
        reached = np.zeros(len(table), bool)
        reached[after.ravel()] = True
    return not accepting[reached].all()


def _used(table: Array, accepting: Array, possible: Array, hard: bool) -> Array:
    """[slot][state][kind]: steps that lie on a way from the start to an end."""
    slots, states = len(possible), len(table)
    steps = (table >= 0) & possible[:, None, :]
    reached = np.zeros(states, bool)
    reached[0] = True
    for t in range(slots):
        steps[t] &= reached[:, None]
        reached = np.zeros(states, bool)
        reached[table[steps[t]]] = True
    goes_on = np.append(accepting if hard else np.ones(states, bool), False)  # the last is read for -1
    for t in reversed(range(slots)):
        steps[t] &= goes_on[table]
        goes_on = np.append(steps[t].any(axis=1), False)
    return steps


def add_edges(program: Program, numbers: Array, edge: Scores) -> None:
    """A variable per pair of neighbouring labels. numbers: [slot][label], the variable, or -1."""
    for t in range(1, len(numbers)):
        before, here = numbers[t - 1] >= 0, numbers[t] >= 0
        a, b = np.nonzero((edge[t] > -np.inf) & before[:, None] & here[None, :])
        pairs = program.add_variables(edge[t][a, b], False)
        for chosen, of in ((numbers[t - 1], a), (numbers[t], b)):
            there = np.flatnonzero(chosen >= 0)
            places = np.cumsum(chosen >= 0) - 1
            zeros = np.zeros(len(there))
            rows = program.add_rows(zeros, zeros)
            program.put(rows[places[of]], pairs)
            program.put(rows, chosen[there], -1.0)
