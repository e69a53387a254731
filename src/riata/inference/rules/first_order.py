"""Automata in which the last label says everything: those that become masks of labels that may start, end and follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.legality import Legality
from riata.inference.rules.rule import HARD, Automaton, Flags, Ids, Parts, Rule
from riata.inference.rules.rules import Rules
from riata.inference.rules.slots import LabelNames

if TYPE_CHECKING:
    from riata.data.encodings.base import Encoding


Table = NDArray[np.int32]


def last_label(start: Any, end: Any, follow: Any, penalty: float = HARD, origin: int = 0) -> Automaton:
    """The automaton whose state is the last label. State 0 is the start, that of label j is j + 1.

    start, end: flags of labels, [L]; follow: [label before][label].
    """
    allowed = np.vstack([start, follow]).astype(bool)
    moves = np.where(allowed, np.arange(1, len(start) + 1, dtype=np.int32), np.int32(-1))
    return Automaton(moves, np.concatenate([[True], np.asarray(end, bool)]), penalty, origin)


def of_encoding(encoding: Encoding, labels: Sequence[str]) -> Automaton:
    """Which chunk labels an encoding lets follow each other."""
    start, end, follow = encoding.allowed(labels)
    return last_label(start, end, follow.reshape(len(labels), len(labels)))


def encoded(encoding: Encoding, labels: Sequence[str]) -> Legality:
    """The masks of chunk labels."""
    found = masks(of_encoding(encoding, labels))
    assert found is not None
    return found


def masks(automaton: Automaton) -> Legality | None:
    """The masks that forbid what a hard automaton forbids; None if labels further back matter.

    A language is given by such masks if and only if in its minimal automaton every label leads to one state only.
    """
    return _local(automaton) or _local(_minimal(automaton))


def _local(automaton: Automaton) -> Legality | None:
    """Of an automaton in which every label leads to one state."""
    moves = automaton.next
    states = moves.max(axis=0, initial=-1)  # [label]: where it leads
    if ((moves >= 0) & (moves != states)).any():
        return None
    reached = states >= 0
    follow = np.zeros((moves.shape[1], moves.shape[1]), np.uint8)
    follow[reached] = moves[states[reached]] >= 0
    end = reached & automaton.accepting[states]
    return Legality((moves[0] >= 0).astype(np.uint8), end.astype(np.uint8), follow.ravel())


def _minimal(automaton: Automaton) -> Automaton:
    """Without states that are on no way to an end, and with one state for all those that go on alike (Moore's algorithm)."""
    # The last row is the dead state.
    moves = np.vstack([automaton.next, np.full((1, automaton.next.shape[1]), -1, np.int32)])
    moves[moves < 0] = len(moves) - 1
    classes = np.append(automaton.accepting, False).astype(np.int64)
    while True:
        seen = np.hstack([classes[:, None], classes[moves]])
        finer = np.unique(seen, axis=0, return_inverse=True)[1].ravel()
        if finer.max() == classes.max():
            break
        classes = finer
    kept = _reached(classes[moves], classes, int(classes[0]))
    return _renumbered(moves, classes, np.append(automaton.accepting, False), kept, automaton)


def _reached(to: Any, classes: Any, first: int) -> list[int]:
    """The classes that some output leads to, the first one first, without the dead one."""
    dead = int(classes[-1])
    found, waiting = [first], [first]
    while waiting:
        row = int(np.argmax(classes == waiting.pop()))
        for one in np.unique(to[row]).tolist():
            if one != dead and one not in found:
                found.append(one)
                waiting.append(one)
    return found


def _renumbered(moves: Table, classes: Any, accepting: Any, kept: list[int], automaton: Automaton) -> Automaton:
    numbers = np.full(int(classes.max()) + 1, -1, np.int32)
    numbers[kept] = np.arange(len(kept), dtype=np.int32)
    if kept[0] == classes[-1]:  # nothing is legal
        none = np.full((1, moves.shape[1]), -1, np.int32)
        return Automaton(none, np.zeros(1, bool), automaton.penalty, automaton.origin)
    rows = [int(np.argmax(classes == one)) for one in kept]
    return Automaton(numbers[classes[moves[rows]]], accepting[rows], automaton.penalty, automaton.origin)


Forbidden = NDArray[np.bool_]  # [slot][label]


@dataclass(frozen=True)
class Compiled:
    """The masks of rules that are the same for all sentences, and the rules that are no masks."""

    columns: tuple[Legality, ...]  # of the labels of every output column
    forbidden: Flags  # [L] labels that no slot may have; the masks of columns know them too
    rest: Rules

    @property
    def is_free(self) -> bool:
        """Whether nothing is forbidden."""
        return all(column.is_free for column in self.columns)


def compiled(rules: Rules, names: LabelNames) -> Compiled:
    """The masks of shared rules. Predicates, soft rules and rules that count are left."""
    places = _places(names)
    columns = [Legality.free(len(labels)) for labels in places]
    forbidden, rest_rules, rest_automata = np.zeros(len(names), bool), [], []
    for rule in rules.rules:
        never = None if rule.penalty < HARD else _never(rule, names)
        if never is None:
            rest_rules.append(rule)
        else:
            forbidden |= never
    for automaton in rules.automata:
        of_columns = None if automaton.penalty < HARD else _of_columns(automaton, places)
        if of_columns is None:
            rest_automata.append(automaton)
        else:
            columns = [a & b for a, b in zip(columns, of_columns, strict=True)]
    columns = [column.without(forbidden[labels]) for column, labels in zip(columns, places, strict=True)]
    return Compiled(
        tuple(columns),
        forbidden,
        replace(rules, rules=tuple(rest_rules), automata=tuple(rest_automata)),
    )


def forbidden_parts(rules: Rules, names: LabelNames, slots: int, *, every: bool) -> tuple[Forbidden, Rules]:
    """The parts of one sentence that hard rules forbid one by one, and the rules that do more.

    every: whether every slot has a label; the tokens inside of segments have none.
    """
    found, rest = np.zeros((slots, len(names)), bool), []
    for rule in rules.rules:
        never = None if rule.penalty < HARD else _never_at(rule, names, slots, every=every)
        if never is None:
            rest.append(rule)
        else:
            found |= never
    return found, replace(rules, rules=tuple(rest))


def _never(rule: Rule, names: LabelNames) -> Flags | None:
    """The labels that a rule forbids at every slot, if it does nothing else."""
    if rule.when is None and rule.count.slots is None and rule.low == 0:
        if rule.high is None:
            return np.zeros(len(names), bool)
        if rule.high == 0:
            return rule.count.labels
    if rule.when is not None and rule.when.slots is None and rule.low > 0 and not rule.count.labels.any():
        return rule.when.labels
    return None


def _never_at(rule: Rule, names: LabelNames, slots: int, *, every: bool) -> Forbidden | None:
    """[slot][label]: what a rule forbids, if it forbids single parts only."""
    count = _flagged(rule.count, slots)
    most = _most(rule.count, names, slots)
    if rule.low == 0 and (rule.high is None or rule.high >= most):
        return np.zeros_like(count)
    when = None if rule.when is None else _flagged(rule.when, slots)
    if rule.low > most:  # it cannot be kept: nothing of `when` may be there
        return when if when is not None else np.ones_like(count)
    if when is not None:
        return _within_a_slot(rule, when, count, names)
    if rule.high == 0:
        return count
    if every and rule.low == most and names.per_slot == 1 and (rule.high is None or rule.high >= most):
        return np.asarray(count.any(axis=1))[:, None] & ~count  # every slot that is counted has one of the labels
    return None


def _within_a_slot(rule: Rule, when: Forbidden, count: Forbidden, names: LabelNames) -> Forbidden | None:
    """Of a rule whose parts are all of one slot, which has one label."""
    where = np.flatnonzero((when | count).any(axis=1))
    if len(where) > 1 or names.per_slot > 1:
        return None
    kept = (count >= rule.low) & (True if rule.high is None else count <= rule.high)
    return when & ~kept


def _most(parts: Parts, names: LabelNames, slots: int) -> int:
    """How many of the parts can be chosen together."""
    number = slots if parts.slots is None else len(parts.slots)
    return number * sum(bool(parts.labels[labels].any()) for labels in _places(names))


def _flagged(parts: Parts, slots: int) -> Forbidden:
    found = np.zeros((slots, len(parts.labels)), bool)
    found[slice(None) if parts.slots is None else parts.slots] = parts.labels
    return found


def _places(names: LabelNames) -> list[Ids]:
    """The labels of every output column."""
    columns = np.zeros(len(names), np.int32) if names.columns is None else names.columns
    return [np.flatnonzero(columns == column).astype(np.int32) for column in range(names.per_slot)]


def _of_columns(automaton: Automaton, places: Sequence[Ids]) -> list[Legality] | None:
    """Masks of an automaton that reads the labels of one column; labels of others change nothing."""
    states = np.arange(len(automaton.next), dtype=np.int32)[:, None]
    reads = [bool((automaton.next[:, labels] != states).any()) for labels in places]
    if sum(reads) > 1:
        return None
    found = [Legality.free(len(labels)) for labels in places]
    for column, labels in enumerate(places):
        if reads[column] or not any(reads):
            own = masks(Automaton(automaton.next[:, labels], automaton.accepting))
            if own is None:
                return None
            found[column] = own
            break
    return found


class TokenSets:
    """Sets of labels that tokens may have: flags [M, labels], and the set of every token, -1: any label."""

    def __init__(self, sets: Any, of: Any) -> None:
        self.sets, self.of = np.asarray(sets, np.uint8), np.asarray(of, np.int32)

    @classmethod
    def without(cls, forbidden: Sequence[Forbidden]) -> TokenSets:
        """What is left where single parts are forbidden, sentence by sentence."""
        rows = np.concatenate(list(forbidden))
        sets, of = np.unique(~rows, axis=0, return_inverse=True)
        numbers = of.ravel().astype(np.int32)
        return cls(sets, np.where(np.asarray(sets.all(axis=1))[numbers], np.int32(-1), numbers))

    def __and__(self, other: TokenSets) -> TokenSets:
        """What both allow."""
        pairs, of = np.unique(np.stack([self.of, other.of]), axis=1, return_inverse=True)
        width = self.sets.shape[1]
        mine, theirs = (
            np.vstack([one.sets, np.ones((1, width), np.uint8)])[at]
            for one, at in zip((self, other), pairs, strict=True)
        )
        free = np.asarray((pairs < 0).all(axis=0))
        numbers = of.ravel().astype(np.int32)
        return TokenSets(mine & theirs, np.where(free[numbers], np.int32(-1), numbers))
