"""What every constraint becomes on one input: rules over parts, automata over labels, and functions of finished outputs.

A part is a slot with a label. A slot is what gets a label: a token, a candidate span, an output variable, or the first token of a
segment. Numbers of slots and labels count from 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HARD = math.inf  # the penalty of what must not be broken
Flags = NDArray[np.bool_]
Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Parts:
    """All parts whose slot is in `slots` (None: every slot) and whose label is flagged."""

    labels: Flags  # [L]
    slots: Ids | None = None  # sorted, none of them twice

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parts):
            return NotImplemented
        same = (self.slots is None) == (other.slots is None)
        return (
            same
            and np.array_equal(self.labels, other.labels)
            and (
                self.slots is None or np.array_equal(self.slots, other.slots)  # type: ignore[arg-type]
            )
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Rule:
    """If some part of `when` is chosen, the number of chosen parts of `count` is from low to high.

    A hard rule has an infinite penalty. The penalty of another is subtracted from the score once if the rule is broken.
    """

    when: Parts | None  # None: always
    count: Parts
    low: int = 0
    high: int | None = None  # None: no limit
    penalty: float = HARD
    origin: int = 0  # number of the declared constraint that it comes from


@dataclass(frozen=True, eq=False)
class Automaton:
    """Reads the labels of slots in order, from state 0. Broken if it dies, or if it ends in a state that does not accept.

    Slots without a label are skipped; the labels of a slot that has several are read in the order of the output.
    """

    next: Ids  # [state][label]: the state after it; -1: dead
    accepting: Flags  # [state]
    penalty: float = HARD
    origin: int = 0


@dataclass(frozen=True)
class Predicate:
    """A user's function of a finished output (the numbers of its labels, as an array): whether it is legal."""

    function: Callable[[Ids], bool]
    penalty: float = HARD
    origin: int = 0


@dataclass(frozen=True)
class Broken:
    """What an output breaks."""

    origin: int  # number of the declared constraint
    penalty: float  # infinite: hard
