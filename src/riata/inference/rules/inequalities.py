"""Rules as linear inequalities over 0/1 variables, one per slot and label."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from riata.inference.arrays import Scores
from riata.inference.rules.rule import HARD, Automaton, Ids
from riata.inference.rules.rules import NO_LIMIT, PackedParts, Rules

Array = NDArray[Any]


@dataclass
class LinearProgram:
    """Maximise gains x variables within rows: low <= A x variables <= high, and 0 <= variables <= 1."""

    variables: int = 0
    gains: list[Array] = field(default_factory=list)
    whole: list[Array] = field(default_factory=list)  # flags: must be 0 or 1
    rows: int = 0
    entries: list[tuple[Array, Array, Array]] = field(default_factory=list)  # row, variable, factor
    low: list[Array] = field(default_factory=list)
    high: list[Array] = field(default_factory=list)

    def add_variables(self, gains: Array, whole: bool) -> Array:
        """Their numbers."""
        numbers = np.arange(self.variables, self.variables + len(gains))
        self.variables += len(gains)
        self.gains.append(gains)
        self.whole.append(np.full(len(gains), whole))
        return numbers

    def add_rows(self, low: Array, high: Array) -> Array:
        """Their numbers; they are empty."""
        numbers = np.arange(self.rows, self.rows + len(low))
        self.rows += len(low)
        self.low.append(np.asarray(low, float))
        self.high.append(np.asarray(high, float))
        return numbers

    def put(self, rows: Array, variables: Array, factors: Any = 1.0) -> None:
        """Adds factors to rows."""
        self.entries.append((rows, variables, np.broadcast_to(np.asarray(factors, float), np.shape(rows))))

    def matrix(self) -> csc_array:
        rows, variables, factors = (np.concatenate(parts) for parts in zip(*self.entries, strict=True))
        return csc_array((factors, (rows, variables)), shape=(self.rows, self.variables))


class Inequalities:
    """The integer program of one input. node: [slot][label]; edge: [slot][label before][label], or None."""

    def __init__(self, node: Scores, edge: Scores | None, rules: Rules) -> None:
        self.top = node.max(axis=1)
        self.kept = node > -np.inf
        self.program = LinearProgram()
        self.numbers = np.full(node.shape, -1)  # [slot][label]: the variable; -1: forbidden
        self.numbers[self.kept] = self.program.add_variables((node - self.top[:, None])[self.kept], True)
        ones = np.ones(len(node))
        self.program.put(self.program.add_rows(ones, ones)[np.nonzero(self.kept)[0]], self.numbers[self.kept])
        if rules.rules:
            _RowsOfRules(self, rules).add()
        for automaton in rules.automata:
            add_automaton(self.program, self.numbers, automaton)
        if edge is not None:
            add_edges(self.program, self.numbers, edge)

    def chosen(self, values: Array) -> Ids:
        """The output that values of variables stand for, the largest value of each slot."""
        found: Ids = np.where(self.kept, values[self.numbers], -1.0).argmax(axis=1).astype(np.int32)
        return found


class _RowsOfRules:
    """The rows of all rules. Where `when` has several slots, a variable `asked` is at least each of them; `broken` pays for a soft rule."""

    def __init__(self, of: Inequalities, rules: Rules) -> None:
        self.program, self.numbers = of.program, of.numbers
        packed = rules.packed
        self.sets = packed.label_sets.astype(bool)  # [set][label]
        self.packed, self.kept = packed, of.kept

    def add(self) -> None:
        packed = self.packed
        for rule in range(len(packed.low)):
            count = self._parts(packed.count, rule)
            most = int(count.any(axis=1).sum())
            low, high = int(packed.low[rule]), int(packed.high[rule])
            is_low, is_high = low > 0, high != NO_LIMIT and high < most
            if not is_low and not is_high:
                continue
            if packed.when.labels[rule] < 0:
                asked = None
            else:
                when = self._parts(packed.when, rule)
                if not when.any():
                    continue
                asked = self._asked(when, float(packed.penalty[rule]))
            broken = None
            if packed.penalty[rule] < HARD and asked is None:
                broken = self.program.add_variables(np.array([-packed.penalty[rule]]), True)
            if is_low:
                self._add_low(count, low, asked, broken)
            if is_high:
                self._add_high(count, high, most, asked, broken)

    def _parts(self, side: PackedParts, rule: int) -> Array:
        """[slot][label]: the parts of one side that are possible."""
        found: Array = self.kept & self.sets[side.labels[rule]]
        if side.everywhere[rule]:
            return found
        listed = np.zeros(len(found), bool)
        listed[side.slots[side.offsets[rule] : side.offsets[rule + 1]]] = True
        found &= listed[:, None]
        return found

    def _asked(self, when: Array, penalty: float) -> tuple[Array, Array]:
        """Variables, and their factors, whose sum is 1 if some part of `when` is chosen and the rule is not broken."""
        slots = when.any(axis=1)
        soft = penalty < HARD
        if not soft and slots.sum() == 1:
            variables = self.numbers[when]
            return variables, np.ones(len(variables))
        asked = self.program.add_variables(np.zeros(1), False)
        places = np.cumsum(slots) - 1
        size = int(slots.sum())
        rows = self.program.add_rows(np.full(size, -np.inf), np.zeros(size))
        self.program.put(rows[places[np.nonzero(when)[0]]], self.numbers[when])
        self.program.put(rows, np.repeat(asked, size), -1.0)
        if soft:
            self.program.put(rows, np.repeat(self.program.add_variables(np.array([-penalty]), True), size), -1.0)
        return asked, np.ones(1)

    def _add_low(self, count: Array, low: int, asked: tuple[Array, Array] | None, broken: Array | None) -> None:
        """count >= low x asked, or count + low x broken >= low"""
        row = self.program.add_rows(np.array([0.0 if asked is not None else low]), np.array([np.inf]))
        self._put(row, self.numbers[count], 1.0)
        if asked is not None:
            self._put(row, asked[0], -low * asked[1])
        if broken is not None:
            self._put(row, broken, low)

    def _add_high(
        self, count: Array, high: int, most: int, asked: tuple[Array, Array] | None, broken: Array | None
    ) -> None:
        """count + (most - high) x asked <= most, or count - (most - high) x broken <= high. With high = 0, by slots: this is tighter."""
        if asked is None:
            row = self.program.add_rows(np.array([-np.inf]), np.array([float(high)]))
            self._put(row, self.numbers[count], 1.0)
            if broken is not None:
                self._put(row, broken, -(most - high))
        elif high == 0:
            rows = self.program.add_rows(np.full(most, -np.inf), np.ones(most))
            places = np.cumsum(count.any(axis=1)) - 1
            self.program.put(rows[places[np.nonzero(count)[0]]], self.numbers[count])
            size = len(asked[0])
            self.program.put(np.repeat(rows, size), np.tile(asked[0], most), np.tile(asked[1], most))
        else:
            row = self.program.add_rows(np.array([-np.inf]), np.array([float(most)]))
            self._put(row, self.numbers[count], 1.0)
            self._put(row, asked[0], (most - high) * asked[1])

    def _put(self, row: Array, variables: Array, factors: Any) -> None:
        self.program.put(np.repeat(row, len(variables)), variables, factors)


def add_automaton(program: LinearProgram, numbers: Array, automaton: Automaton) -> None:
    """numbers: [slot][label], the variable of a label at a slot, or -1."""
    table, accepting = automaton.next, automaton.accepting
    if automaton.penalty < HARD:  # a dead automaton lives on in a state of its own, and pays at the end
        dead = len(table)
        table = np.vstack([np.where(table < 0, dead, table), np.full(table.shape[1], dead)])
        accepting = np.append(accepting, False)
    kinds, kind_of = np.unique(table, axis=1, return_inverse=True)  # labels that this automaton reads alike
    kind_of = kind_of.ravel()
    possible = _possible(numbers, kind_of, kinds.shape[1])
    if not _can_break(kinds, accepting, possible):
        return
    used = _used(kinds, accepting, possible, automaton.penalty == HARD)
    slot, state, kind = np.nonzero(used)
    after = kinds[state, kind]
    pays = (slot == len(numbers) - 1) & ~accepting[after]
    flows = program.add_variables(np.where(pays, -automaton.penalty if automaton.penalty < HARD else 0.0, 0.0), False)
    # What flows through a kind of labels at a slot is what the slot has chosen of it.
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
    """[slot][kind]: whether some label of the kind is possible."""
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


def add_edges(program: LinearProgram, numbers: Array, edge: Scores) -> None:
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
