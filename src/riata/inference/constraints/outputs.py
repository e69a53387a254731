"""A table of all outputs that are allowed."""

from __future__ import annotations

from typing import Any

import numpy as np

from riata.inference.constraints.base import Constraint, check_single
from riata.inference.rules.rule import Automaton
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class outputs(Constraint):
    """The output is one of these: lists of labels, one label per slot. A penalty counts once per output.

    It becomes the smallest automaton without circles that accepts them: states that go on alike are one.

    >>> riata.constraints.outputs([["A", "B"], ["B", "A"]])
    outputs([['A', 'B'], ['B', 'A']])
    """

    name = "outputs"
    summary = "the output is one of a list of outputs"
    paper = "punyakanok2005"

    def __init__(self, allowed: Any, *, penalty: float | None = None) -> None:
        super().__init__(penalty=penalty)
        listed = [tuple(one) for one in allowed] if _is_table(allowed) else []
        if not listed or not all(isinstance(label, str) and label for one in listed for label in one):
            raise self.refused("no table of labels", 'at least one output, such as [["A", "B"], ["B", "B"]]')
        self.allowed = sorted(set(listed))

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        check_single(self, slots)
        numbers = {}
        for label in {label for one in self.allowed for label in one}:
            flags = slots.names.flags([label])
            if flags.sum() > 1:
                raise self.refused(f"{label!r}, which stands for several labels", "single labels, such as 'B-NP'")
            numbers[label] = int(flags.argmax())
        root: _Trie = {}
        for one in self.allowed:
            node = root
            for label in one:
                node = node.setdefault(numbers[label], {})
            node[END] = {}
        states: dict[tuple[tuple[int, int], ...], int] = {}
        top = _numbered(root, states)
        return [_automaton(states, top, len(slots.names), self.cost, origin)]

    def said(self) -> str:
        return f"the output is one of {len(self.allowed):,} that are listed"

    def named(self) -> list[str]:
        return sorted({label for one in self.allowed for label in one})

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [[list(one) for one in self.allowed]], {}


_Trie = dict[int, Any]
END = -1  # the key under which an output ends


def _is_table(given: Any) -> bool:
    return isinstance(given, (list, tuple, set)) and all(isinstance(one, (list, tuple)) for one in given)


def _numbered(root: _Trie, states: dict[tuple[tuple[int, int], ...], int]) -> int:
    """The state of a node, by how it goes on: (label, state after it). Without recursion, since outputs may be long."""
    waiting: list[tuple[_Trie, bool]] = [(root, False)]
    found: dict[int, int] = {}
    while waiting:
        node, ready = waiting.pop()
        if not ready:
            waiting.append((node, True))
            waiting += [(child, False) for key, child in node.items() if key != END]
            continue
        key = tuple(sorted((label, END if label == END else found[id(child)]) for label, child in node.items()))
        found[id(node)] = states.setdefault(key, len(states))
    return found[id(root)]


def _automaton(
    states: dict[tuple[tuple[int, int], ...], int], top: int, labels: int, cost: float, origin: int
) -> Automaton:
    """The start, which no other state leads back to, becomes state 0."""
    renumbered = np.arange(len(states))
    renumbered[[0, top]] = renumbered[[top, 0]]
    table = np.full((len(states), labels), -1, np.int32)
    accepting = np.zeros(len(states), bool)
    for key, state in states.items():
        for label, after in key:
            if label == END:
                accepting[renumbered[state]] = True
            else:
                table[renumbered[state], label] = renumbered[after]
    return Automaton(table, accepting, cost, origin)


CONSTRAINT = outputs
