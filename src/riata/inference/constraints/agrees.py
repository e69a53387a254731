"""Types of parts that refer to each other agree: a slot's label limits the label of the slot that one of its columns names."""

from __future__ import annotations

from typing import Any

import numpy as np

from riata.errors import DataError, UnsupportedError
from riata.inference.constraints.base import Constraint, Where, column_in_words, column_name, either, label_names, shown
from riata.inference.rules.rule import Parts, Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots

NOWHERE = ("", "_", "-1")  # values of columns that name no slot


class agrees(Constraint):
    """Where a slot has one of the labels a, the slot whose number (from 0) is in its column `at` has one of the labels b.

    A column that is empty, `_` or -1 names no slot, and nothing is asked. Without `at`, it is the same slot, which must then
    have several labels, such as a tag and a chunk label. A penalty counts once per slot.

    >>> riata.constraints.agrees("B-VP", ("VB", "VBD"))
    agrees('B-VP', ['VB', 'VBD'])
    """

    name = "agrees"
    summary = "the label of a slot limits that of the slot that a column names: agrees('works-for', 'PER', at='who')"

    def __init__(
        self, a: Any, b: Any, *, at: str | int | None = None, where: Where | None = None, penalty: float | None = None
    ) -> None:
        super().__init__(where=where, penalty=penalty)
        self.a, self.b = label_names(a, self.word), label_names(b, self.word)
        self.at = None if at is None else column_name(at, self.word)

    @property
    def is_shared(self) -> bool:
        return False

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        a, b = slots.names.flags(self.a), slots.names.flags(self.b)
        counted = self.slots_that_count(slots)
        rules: list[Grounded] = []
        for slot in range(slots.count) if counted is None else counted.tolist():
            other = self._other(slot, slots)
            if other is not None:
                one, two = (Parts(flags, np.array([at], np.int32)) for flags, at in ((a, slot), (b, other)))
                rules.append(Rule(one, two, 1, None, self.cost, origin))
        return rules

    def _other(self, slot: int, slots: Slots) -> int | None:
        """The slot that one refers to."""
        if self.at is None:
            if slots.names.per_slot == 1:
                raise UnsupportedError(
                    f"{self!r} is about two labels of one slot, and slots of this task have one.",
                    remedy="Name the column that has the number of the other slot: at=...",
                )
            return slot
        value = str(slots.column(self.at)[slot]).strip()
        if value in NOWHERE:
            return None
        if not value.isdecimal() or int(value) >= slots.count:
            raise DataError(
                f"Column {self.at!r} of slot {slot} is {value!r}; expected the number of a slot, from 0 to {slots.count - 1}.",
                remedy=f"{self!r} reads it; empty or _ names none.",
            )
        return int(value)

    def said(self) -> str:
        a, b = either(self.a), either(self.b)
        if self.at is None:
            return f"a slot with {a} has {b}, too"
        return f"a slot with {a} needs {b} in the slot that its {column_in_words(self.at)} names"

    def named(self) -> list[str]:
        return [*self.a, *self.b]

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [shown(self.a), shown(self.b)], {"at": self.at}


CONSTRAINT = agrees
