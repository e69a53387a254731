"""Labels in an order that a small machine reads: a state, and what each label makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from riata.errors import printed
from riata.inference.constraints.base import Constraint, check_single, either, label_names
from riata.inference.rules.rule import Automaton
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots

EXPECTED = '{"out": {"[": "in", "-": "out"}, "in": {"]": "out", "-": "in"}}: states, with the state after each label'


class automaton(Constraint):
    """The labels of slots, in order, lead from the first state to one of the states in `ends` (None: to any state).

    states: by state the labels that may come next, each with the state after it. A penalty counts once per output.

    >>> riata.constraints.automaton({"start": {"O": "start", "A": "end"}, "end": {"O": "end"}}, ends=["end"])
    automaton({'start': {'O': 'start', 'A': 'end'}, 'end': {'O': 'end'}}, ends=['end'])
    """

    name = "automaton"
    summary = "labels in an order that a small automaton accepts: automaton({'out': {'[': 'in'}, 'in': {']': 'out'}}, ends=['out'])"

    def __init__(self, states: Any, *, ends: Any = None, penalty: float | None = None) -> None:
        super().__init__(penalty=penalty)
        if (
            not isinstance(states, Mapping)
            or not states
            or not all(isinstance(one, Mapping) for one in states.values())
        ):
            raise self.refused(printed(states), EXPECTED)
        self.states: dict[str, dict[str, str]] = {str(state): dict(moves) for state, moves in states.items()}
        for moves in self.states.values():
            for label, after in moves.items():
                if not isinstance(label, str) or not label or after not in self.states:
                    raise self.refused(
                        f"the move {printed({label: after})}", f"labels, and states among {printed(list(self.states))}"
                    )
        self.ends = None if ends is None else label_names(ends, self.word)
        unknown = [state for state in self.ends or () if state not in self.states]
        if unknown:
            raise self.refused(f"the end {printed(unknown[0])}", f"states among {printed(list(self.states))}")

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        check_single(self, slots)
        numbers = {state: number for number, state in enumerate(self.states)}
        table = np.full((len(numbers), len(slots.names)), -1, np.int32)
        for state, moves in self.states.items():
            for label, after in moves.items():
                table[numbers[state], slots.names.flags([label])] = numbers[after]
        accepting = np.array([self.ends is None or state in self.ends for state in self.states])
        return [Automaton(table, accepting, self.cost, origin)]

    def said(self) -> str:
        ends = "" if self.ends is None else f" and ends in {either(self.ends)}"
        return f"the automaton from {next(iter(self.states))!r} reads all labels{ends}"

    def named(self) -> list[str]:
        return sorted({label for moves in self.states.values() for label in moves})

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [self.states], {"ends": None if self.ends is None else list(self.ends)}


CONSTRAINT = automaton
