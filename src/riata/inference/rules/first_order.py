"""Automata in which the last label says everything: those that become masks of labels that may start, end and follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.legality import Legality
from riata.inference.rules.rule import HARD, Automaton

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
    moves = np.vstack(
        [automaton.next, np.full((1, automaton.next.shape[1]), -1, np.int32)]
    )  # the last row is the dead state
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
