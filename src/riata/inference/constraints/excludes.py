"""Of several sets of labels, parts of one at most are there."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from riata.inference.constraints.base import Constraint, Where, either, label_names, shown
from riata.inference.rules.rule import Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class excludes(Constraint):
    """No two of these are in one output: labels, or lists of labels that stand for each other.

    >>> riata.constraints.excludes("TOTAL", "REFUND")
    excludes('TOTAL', 'REFUND')
    """

    name = "excludes"
    summary = "no two of these labels are in one output"
    paper = "punyakanok2005"

    def __init__(
        self, *labels: Any, where: Where | None = None, per: str | None = None, penalty: float | None = None
    ) -> None:
        super().__init__(where=where, per=per, penalty=penalty)
        self.sets = tuple(label_names(one, self.word) for one in labels)
        if len(self.sets) < 2:
            raise self.refused(f"{len(self.sets)} label(s) or lists of labels", "at least two")
        all_ = [label for one in self.sets for label in one]
        if len(set(all_)) < len(all_):
            twice = next(label for label in all_ if all_.count(label) > 1)
            raise self.refused(
                f"{twice!r} twice", f"labels that exclude each other; at_most(1, {twice!r}) forbids a second one"
            )

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        sets = [slots.names.flags(one) for one in self.sets]
        for a, b in combinations(sets, 2):
            if twice := slots.names.shared(a, b):  # names of chunk types stand for labels
                raise self.refused(f"{twice!r} twice, in {self!r}", "labels that exclude each other")
        return [
            Rule(parts(a), parts(b), 0, 0, self.cost, origin)
            for parts in self.groups(slots)
            for a, b in combinations(sets, 2)
        ]

    def said(self) -> str:
        return f"no two of {'; '.join(map(either, self.sets))} in one output"

    def named(self) -> list[str]:
        return [label for one in self.sets for label in one]

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [shown(one) for one in self.sets], {}


CONSTRAINT = excludes
