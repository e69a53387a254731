"""Rules and automata as arrays, as the core takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.rule import Automaton, Flags, Ids, Parts, Rule

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
