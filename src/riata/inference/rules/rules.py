"""All rules on one output, and which of them an output breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.packed import PackedParts, PackedRules, pack_rules
from riata.inference.rules.rule import HARD, Automaton, Broken, Ids, Predicate, Rule

Grounded = Rule | Automaton | Predicate


@dataclass(frozen=True)
class Rules:
    """The rules, automata and predicates that the outputs of one input should keep.

    An output is the number of the label of each slot, [T], or of each of its labels, [T][k]; -1 is no label.
    """

    labels: int  # how many there are
    rules: tuple[Rule, ...] = ()
    automata: tuple[Automaton, ...] = ()
    predicates: tuple[Predicate, ...] = ()

    @classmethod
    def of(cls, labels: int, grounded: Iterable[Grounded]) -> Rules:
        """Sorted by kind."""
        rules, automata, predicates = [], [], []
        for one in grounded:
            if isinstance(one, Rule):
                rules.append(one)
            elif isinstance(one, Automaton):
                automata.append(one)
            else:
                predicates.append(one)
        return cls(labels, tuple(rules), tuple(automata), tuple(predicates))

    def __add__(self, other: Rules) -> Rules:
        return Rules(
            self.labels, self.rules + other.rules, self.automata + other.automata, self.predicates + other.predicates
        )

    def __bool__(self) -> bool:
        return bool(self.rules or self.automata or self.predicates)

    def all(self) -> tuple[Grounded, ...]:
        return (*self.rules, *self.automata, *self.predicates)

    def where(self, keep: Callable[[Grounded], bool]) -> Rules:
        """Those that `keep` says yes to."""
        return Rules.of(self.labels, filter(keep, self.all()))

    def shared(self) -> Rules:
        """Those that are the same for all sentences; predicates are counted among the others."""
        return Rules(self.labels, tuple(rule for rule in self.rules if rule.is_shared), self.automata)

    def own(self) -> Rules:
        """Those that are not shared."""
        return Rules(self.labels, tuple(rule for rule in self.rules if not rule.is_shared), (), self.predicates)

    def hard(self) -> Rules:
        """Only those that must not be broken."""
        return self.where(lambda one: one.penalty == HARD)

    def softened(self, penalty: float) -> Rules:
        """Hard ones become soft ones with this penalty."""
        return Rules.of(
            self.labels,
            (replace(one, penalty=min(one.penalty, penalty)) if one.penalty == HARD else one for one in self.all()),
        )

    def hardened(self) -> Rules:
        """Soft ones become hard."""
        return Rules.of(self.labels, (replace(one, penalty=HARD) for one in self.all()))

    def broken(self, output: Any) -> list[Broken]:
        """What an output breaks: rules first, then automata and predicates."""
        output = np.asarray(output, np.int32)
        found: list[Grounded] = [self.rules[number] for number in np.flatnonzero(self._broken_rules(output))]
        found += [automaton for automaton in self.automata if not accepts(automaton, output)]
        found += [predicate for predicate in self.predicates if not predicate.function(output)]
        return [Broken(one.origin, one.penalty) for one in found]

    def penalty(self, output: Any) -> float:
        """The sum of the penalties of what an output breaks; infinite if it is illegal. Predicates are asked last."""
        output = np.asarray(output, np.int32)
        sum_ = float(self._packed.penalty[self._broken_rules(output)].sum())
        for automaton in self.automata:
            if sum_ < HARD and not accepts(automaton, output):
                sum_ += automaton.penalty
        for predicate in self.predicates:
            if sum_ < HARD and not predicate.function(output):
                sum_ += predicate.penalty
        return sum_

    def is_legal(self, output: Any) -> bool:
        """Whether it breaks nothing that is hard."""
        return self.penalty(output) < HARD

    @cached_property
    def _packed(self) -> PackedRules:
        return pack_rules([self.rules], self.labels)

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        packed = self._packed
        return _Side(packed.when, packed.label_sets), _Side(packed.count, packed.label_sets)

    def _broken_rules(self, output: Ids) -> NDArray[np.bool_]:
        """[rule]"""
        if not self.rules:
            return np.zeros(0, bool)
        when, count = self._sides
        histogram = np.bincount(output.ravel() + 1, minlength=self.labels + 1)[1:]
        counts = count.counts(output, histogram)
        asked = when.absent | (when.counts(output, histogram) > 0)
        return asked & ((counts < self._packed.low) | (counts > self._packed.high))


class _Side:
    """Counts the chosen parts of one side of all rules."""

    def __init__(self, parts: PackedParts, label_sets: NDArray[np.uint8]) -> None:
        self.absent = parts.labels < 0
        rules = len(parts.labels)
        flags = np.zeros((rules, label_sets.shape[1] + 1), np.int64)  # the last column is read for -1: no label
        flags[~self.absent, :-1] = label_sets[parts.labels[~self.absent]]
        self._rules, self._flags, self._everywhere = rules, flags, parts.everywhere.astype(bool)
        self._owners = np.repeat(np.arange(rules), np.diff(parts.offsets))  # [listed slots]: the rule
        self._slots = parts.slots

    def counts(self, output: Ids, histogram: NDArray[Any]) -> NDArray[np.int64]:
        """[rule]. histogram: how often each label is chosen."""
        found: NDArray[np.int64] = (self._flags[:, :-1] @ histogram) * self._everywhere
        if len(self._slots):
            chosen = output.reshape(len(output), -1)[self._slots]
            hits = self._flags[self._owners[:, None], chosen].sum(axis=1)
            found += np.bincount(self._owners, hits, minlength=self._rules).astype(np.int64)
        return found


def accepts(automaton: Automaton, output: Ids) -> bool:
    """Whether an automaton reads an output to its end and accepts it."""
    state, table = 0, automaton.next
    for label in output.ravel().tolist():
        if label >= 0:
            state = int(table[state, label])
            if state < 0:
                return False
    return bool(automaton.accepting[state])
