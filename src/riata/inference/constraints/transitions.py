"""Which label may follow which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from riata.errors import UnsupportedError
from riata.inference.constraints.base import Constraint
from riata.inference.rules.rule import Automaton, Flags
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots

Pairs = Iterable[tuple[str | None, str | None]]

SHOWN = 3  # pairs of labels, in words


class transitions(Constraint):
    """Which labels may follow each other, as pairs of labels: either all that are allowed, or those that are forbidden.

    None before a label is the start of the output, and None after one its end. Where `allowed` has no such pair, every label may start,
    or end. A penalty counts once per output.

    >>> riata.constraints.transitions(forbidden=[("DT", "VB")])
    transitions(forbidden=[('DT', 'VB')])
    """

    name = "transitions"
    summary = "which label may follow which: transitions(forbidden=[('A', 'B')]); None is the start or the end"

    def __init__(self, *, allowed: Any = None, forbidden: Any = None, penalty: float | None = None) -> None:
        super().__init__(penalty=penalty)
        if (allowed is None) == (forbidden is None):
            raise self.refused(
                "both allowed= and forbidden=" if allowed is not None else "no pairs", "one of allowed= and forbidden="
            )
        self.allows = forbidden is None
        self.pairs = self._checked(allowed if self.allows else forbidden)

    def _checked(self, given: Any) -> list[tuple[str | None, str | None]]:
        pairs = (
            [tuple(pair) if isinstance(pair, (list, tuple)) else () for pair in given]
            if isinstance(given, (list, tuple, set))
            else []
        )
        for pair in pairs:
            if (
                len(pair) != 2
                or pair == (None, None)
                or not all(one is None or (isinstance(one, str) and one) for one in pair)
            ):
                raise self.refused("something that is no pair of labels", '[("A", "B"), (None, "A")]')
        if not pairs:
            raise self.refused("no pairs", "at least one pair of labels")
        return list(dict.fromkeys(pairs))

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        names = slots.names
        read = names.flags({name for pair in self.pairs for name in pair if name is not None})
        inside = self._column(read, slots)
        table = self._allowed(slots)
        # The state of a label is how it may go on; labels that may go on alike share a state. State 0 is the start.
        start, rows = table[0], table[1:]
        unique, states = np.unique(rows[inside], axis=0, return_inverse=True)
        follow = np.vstack([start, unique])  # [state][label, and the end]
        state_of = np.zeros(len(names), np.int32)
        state_of[inside] = states.ravel() + 1
        moves = np.where(follow[:, :-1], state_of, -1).astype(np.int32)
        moves[:, ~inside] = np.arange(len(follow), dtype=np.int32)[:, None]  # labels of other columns change nothing
        return [Automaton(moves, follow[:, -1].copy(), self.cost, origin)]

    def _allowed(self, slots: Slots) -> Flags:
        """[start, and label before][label, and the end]"""
        names = slots.names
        size = len(names)
        named = np.zeros((size + 1, size + 1), bool)
        for before, after in self.pairs:
            row = np.concatenate([[before is None], np.zeros(size, bool) if before is None else names.flags([before])])
            column = np.concatenate([np.zeros(size, bool) if after is None else names.flags([after]), [after is None]])
            named |= np.outer(row, column)
        if not self.allows:
            return ~named
        if not named[0].any():
            named[0] = True
        if not named[1:, -1].any():
            named[:, -1] = True
        named[0, -1] = True  # an output without slots
        return named

    def _column(self, read: Flags, slots: Slots) -> Flags:
        """The labels that are read: all, or those of the one column of outputs that the pairs are about."""
        columns = slots.names.columns
        if columns is None:
            return np.ones(len(slots.names), bool)
        if len(set(columns[read].tolist())) > 1:
            raise UnsupportedError(
                f"{self!r} is about labels of several output columns.", remedy="Name those of one column."
            )
        return np.asarray(columns == columns[read][0])

    def said(self) -> str:
        shown = ", ".join(f"{a or 'the start'} – {b or 'the end'}" for a, b in self.pairs[:SHOWN])
        more = len(self.pairs) - SHOWN
        said = f"{shown} and {more} more" if more > 0 else shown
        return (
            f"labels follow each other only as {said}" if self.allows else f"labels do not follow each other as {said}"
        )

    def named(self) -> list[str]:
        return [name for pair in self.pairs for name in pair if name is not None]

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [], {"allowed" if self.allows else "forbidden": self.pairs}


CONSTRAINT = transitions
