"""Which rules and automata many outputs break at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.packed import PackedParts, PackedRules
from riata.inference.rules.rule import Automaton, Ids

Array = NDArray[Any]


class BrokenRules:
    """Of outputs [N][T][k], -1 for no label."""

    def __init__(self, packed: PackedRules) -> None:
        self._low, self._high = packed.low, packed.high
        self._labels = packed.label_sets.shape[1]
        self._when = _Side(packed.when, packed.label_sets)
        self._count = _Side(packed.count, packed.label_sets)

    def __call__(self, outputs: Ids) -> Array:
        """[output][rule]: by how many parts it is broken; 0 if it is kept"""
        size, width = len(outputs), self._labels + 1
        if not len(self._low):
            return np.zeros((size, 0), np.float32)
        own = np.arange(size).reshape(-1, *[1] * (outputs.ndim - 1)) * width
        histogram = np.bincount((outputs + 1 + own).ravel(), minlength=size * width).reshape(size, width)
        histogram = histogram[:, 1:].astype(np.float32)  # whole numbers below 2^24, which are exact
        counts = self._count.counts(outputs, histogram)
        asked = self._when.absent | (self._when.counts(outputs, histogram) > 0)
        found: Array = asked * (np.maximum(self._low - counts, 0) + np.maximum(counts - self._high, 0))
        return found


class _Side:
    """Counts the chosen parts of one side of all rules."""

    def __init__(self, parts: PackedParts, label_sets: NDArray[np.uint8]) -> None:
        self.absent = parts.labels < 0
        rules = len(parts.labels)
        self._flags = np.zeros((rules, label_sets.shape[1] + 1), np.float32)  # the last column is read for -1: no label
        self._flags[~self.absent, :-1] = label_sets[parts.labels[~self.absent]]
        self._rules, self._everywhere = rules, self._flags[:, :-1].T * parts.everywhere.astype(np.float32)
        self._owners = np.repeat(np.arange(rules), np.diff(parts.offsets))  # [listed slots]: the rule
        self._slots = parts.slots

    def counts(self, outputs: Ids, histogram: Array) -> Array:
        """[output][rule]. histogram: [output][label], how often it is chosen."""
        found: Array = histogram @ self._everywhere
        if len(self._slots):
            hits = self._flags[self._owners[:, None], outputs[:, self._slots]].sum(axis=2)
            rows = self._owners + np.arange(len(outputs))[:, None] * self._rules
            found += np.bincount(rows.ravel(), hits.ravel(), found.size).reshape(found.shape).astype(np.float32)
        return found


class BrokenAutomata:
    """All automata as one table: rows are the states of all, and a dead one at the end; the last column is no label."""

    def __init__(self, automata: Sequence[Automaton], labels: int) -> None:
        firsts = np.cumsum([0, *(len(automaton.accepting) for automaton in automata)])
        dead = int(firsts[-1])
        self._starts = firsts[:-1]
        self._table = np.full((dead + 1, labels + 1), dead)
        self._accepting = np.zeros(dead + 1, bool)
        for first, automaton in zip(firsts, automata, strict=False):
            states = slice(first, first + len(automaton.accepting))
            self._table[states, :-1] = np.where(automaton.next < 0, dead, automaton.next + first)
            self._accepting[states] = automaton.accepting
        self._table[:, -1] = np.arange(dead + 1)

    def __call__(self, outputs: Ids) -> Array:
        """[output][automaton]: 1 if it is broken, else 0"""
        states = np.broadcast_to(self._starts, (len(outputs), len(self._starts)))
        if len(self._starts):
            for labels in outputs.reshape(len(outputs), -1).T:
                states = self._table[states, labels[:, None]]
        found: Array = (~self._accepting[states]).astype(np.float32)
        return found
