"""All rules on one output, and which of them an output breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.rule import HARD, Automaton, Broken, Flags, Ids, Parts, Predicate, Rule

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

    def hard(self) -> Rules:
        """Only those that must not be broken."""
        return self.where(lambda one: one.penalty == HARD)

    def softened(self, penalty: float) -> Rules:
        """Hard ones become soft ones with this penalty."""
        return Rules.of(
            self.labels,
            (replace(one, penalty=min(one.penalty, penalty)) if one.penalty == HARD else one for one in self.all()),
        )

    def broken(self, output: Any) -> list[Broken]:
        """What an output breaks: rules first, then automata and predicates."""
        output = np.asarray(output, np.int32)
        rules, automata = self._judged(output[None])
        found: list[Grounded] = [self.rules[number] for number in np.flatnonzero(rules[0])]
        found += [self.automata[number] for number in np.flatnonzero(automata[0])]
        found += [predicate for predicate in self.predicates if not predicate.function(output)]
        return [Broken(one.origin, one.penalty) for one in found]

    def broken_rules(self, output: Any) -> list[int]:
        """The numbers of the rules that an output breaks; automata and predicates are not asked."""
        broken: list[int] = np.flatnonzero(self._judged(np.asarray(output, np.int32)[None])[0][0]).tolist()
        return broken

    def penalty(self, output: Any) -> float:
        """The sum of the penalties of what an output breaks; infinite if it is illegal. Predicates are asked last."""
        output = np.asarray(output, np.int32)
        return float(self.penalties(output[None])[0]) + self.penalty_of_predicates(output)

    def penalties(self, outputs: Ids) -> NDArray[np.float64]:
        """The penalties of many outputs, [N][T] or [N][T][k], without those of predicates."""
        broken = np.concatenate(self._judged(outputs), axis=1)
        costs = np.concatenate([self.packed.penalty, [one.penalty for one in self.automata]])
        found: NDArray[np.float64] = np.where(broken > 0, costs, 0.0).sum(axis=1)
        return found

    def penalty_of_predicates(self, output: Ids) -> float:
        """The sum of the penalties of predicates that refuse an output; none is asked after a hard one that does."""
        sum_ = 0.0
        for predicate in self.predicates:
            if sum_ < HARD and not predicate.function(output):
                sum_ += predicate.penalty
        return sum_

    def is_legal(self, output: Any) -> bool:
        """Whether it breaks nothing that is hard."""
        return self.penalty(output) < HARD

    @cached_property
    def packed(self) -> PackedRules:
        """The rules as arrays, as those of one sentence."""
        return pack_rules([self.rules], self.labels)

    @cached_property
    def _judges(self) -> tuple[BrokenRules, BrokenAutomata]:
        return BrokenRules(self.packed), BrokenAutomata(self.automata, self.labels)

    def _judged(self, outputs: Ids) -> tuple[NDArray[Any], NDArray[Any]]:
        """[output][rule] and [output][automaton]: by how much it is broken."""
        outputs = outputs if outputs.ndim == 3 else outputs[:, :, None]
        rules, automata = self._judges
        return rules(outputs), automata(outputs)


NO_LIMIT = np.iinfo(np.int32).max  # `high` of rules without one
NEVER = -1  # `labels` of a side that is not there
Offsets = NDArray[np.int64]


@dataclass(frozen=True)
class PackedParts:
    """One side (`when` or `count`) of R rules."""

    labels: Ids  # [R]: row of PackedRules.label_sets, or NEVER
    everywhere: NDArray[np.uint8]  # [R]: 1 if every slot counts; it then lists none
    offsets: Offsets  # [R + 1] into slots
    slots: Ids


@dataclass(frozen=True)
class PackedRules:
    """The rules of N sentences, one sentence after the other."""

    sentences: Offsets  # [N + 1] into rules
    label_sets: NDArray[np.uint8]  # [K][L], each set once
    when: PackedParts
    count: PackedParts
    low: Ids  # [R]
    high: Ids  # [R], NO_LIMIT if there is none
    penalty: NDArray[np.float64]  # [R], infinite if hard
    origin: Ids  # [R]


@dataclass(frozen=True)
class PackedAutomata:
    """A automata, one after the other."""

    states: Offsets  # [A + 1] into next and accepting
    next: Ids  # [all states][L], states of one automaton count from 0, -1 is dead
    accepting: NDArray[np.uint8]  # [all states]
    penalty: NDArray[np.float64]  # [A]
    origin: Ids  # [A]


def pack_rules(sentences: Sequence[Sequence[Rule]], labels: int) -> PackedRules:
    """Rules of sentences as arrays. Rules that all sentences share are packed as those of one sentence."""
    rules = [rule for sentence in sentences for rule in sentence]
    sets: dict[bytes, int] = {}
    when = _pack_parts([rule.when for rule in rules], sets)
    count = _pack_parts([rule.count for rule in rules], sets)
    return PackedRules(
        _offsets([len(sentence) for sentence in sentences]),
        np.frombuffer(b"".join(sets), np.uint8).reshape(len(sets), labels),
        when,
        count,
        np.array([rule.low for rule in rules], np.int32),
        np.array([NO_LIMIT if rule.high is None else rule.high for rule in rules], np.int32),
        np.array([rule.penalty for rule in rules], np.float64),
        np.array([rule.origin for rule in rules], np.int32),
    )


def pack_automata(automata: Sequence[Automaton], labels: int) -> PackedAutomata:
    return PackedAutomata(
        _offsets([len(automaton.accepting) for automaton in automata]),
        np.concatenate([np.empty((0, labels), np.int32), *(automaton.next for automaton in automata)]).astype(np.int32),
        np.concatenate([np.empty(0, bool), *(automaton.accepting for automaton in automata)]).astype(np.uint8),
        np.array([automaton.penalty for automaton in automata], np.float64),
        np.array([automaton.origin for automaton in automata], np.int32),
    )


def _pack_parts(sides: Sequence[Parts | None], sets: dict[bytes, int]) -> PackedParts:
    """sets: those found so far with their numbers; new ones are added."""
    none = np.empty(0, np.int32)
    slots = [none if side is None or side.slots is None else side.slots for side in sides]
    return PackedParts(
        np.array([NEVER if side is None else _number(side.labels, sets) for side in sides], np.int32),
        np.array([side is not None and side.slots is None for side in sides], np.uint8),
        _offsets([len(some) for some in slots]),
        np.concatenate([none, *slots]).astype(np.int32),
    )


def _number(flags: Flags, sets: dict[bytes, int]) -> int:
    return sets.setdefault(flags.tobytes(), len(sets))


def _offsets(counts: Sequence[int]) -> Offsets:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


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
