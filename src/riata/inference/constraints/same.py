"""Slots that are alike in a column have the same label."""

from __future__ import annotations

from typing import Any

import numpy as np

from riata.inference.constraints.base import Constraint, Where, column_in_words, column_name, several_labels
from riata.inference.rules.rule import Parts, Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class same(Constraint):
    """Of slots with the same value in the column `by`, either all or none have a label. labels: those that are asked about; none: all.

    A penalty counts once per value and label that some have and some have not.

    >>> riata.constraints.same("B-PER", by="name")
    same('B-PER', by='name')
    """

    name = "same"
    summary = "slots with the same value in a column have the same label: same(by='word')"

    def __init__(self, *labels: Any, by: str | int, where: Where | None = None, penalty: float | None = None) -> None:
        super().__init__(where=where, penalty=penalty)
        self.labels = several_labels(labels, self.word) if labels else ()
        self.by = column_name(by, self.word)

    @property
    def is_shared(self) -> bool:
        return False

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        names = slots.names
        sets = [names.flags([label]) for label in self.labels] or list(
            np.eye(len(names.labels), len(names), dtype=bool)
        )
        counted, values = self.slots_that_count(slots), slots.column(self.by)
        alike: dict[str, list[int]] = {}
        for slot in range(slots.count) if counted is None else counted.tolist():
            alike.setdefault(str(values[slot]), []).append(slot)
        groups = [np.array(group, np.int32) for group in alike.values() if len(group) > 1]
        both = [(Parts(flags, group), len(group)) for group in groups for flags in sets]
        return [Rule(parts, parts, size, size, self.cost, origin) for parts, size in both]

    def said(self) -> str:
        what = ", ".join(self.labels) or "their labels"
        return f"slots with the same {column_in_words(self.by)} agree on {what}"

    def named(self) -> list[str]:
        return list(self.labels)

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return list(self.labels), {"by": self.by}


CONSTRAINT = same
