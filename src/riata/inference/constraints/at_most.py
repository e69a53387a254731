"""At most k parts have one of the labels. The other cardinalities are made of this one."""

from __future__ import annotations

from typing import Any

from riata.inference.constraints.base import Constraint, Where, either, several_labels, whole_number
from riata.inference.rules.rule import Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class Cardinality(Constraint):
    """The number of parts with one of the labels is within bounds.

    each: the bounds hold for every label of its own, and not for all of them together.
    """

    def __init__(
        self,
        k: int,
        *labels: Any,
        each: bool = False,
        where: Where | None = None,
        per: str | None = None,
        penalty: float | None = None,
    ) -> None:
        super().__init__(where=where, per=per, penalty=penalty)
        self.k = whole_number(k, self.word, self.least)
        self.labels = several_labels(labels, self.word)
        if not isinstance(each, bool):
            raise self.refused(f"each={each!r}", "True or False")
        self.each = each

    least = 0  # the lowest k that means something

    @property
    def bounds(self) -> tuple[int, int | None]:
        """low, and high or None."""
        raise NotImplementedError

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        low, high = self.bounds
        sets = [slots.names.flags(one) for one in ([(label,) for label in self.labels] if self.each else [self.labels])]
        return [
            Rule(None, parts(labels), low, high, self.cost, origin) for parts in self.groups(slots) for labels in sets
        ]

    def said(self) -> str:
        bound = "no" if self.bounds == (0, 0) else f"{self.word.replace('_', ' ')} {self.k}"
        return (
            f"{bound} of each of {', '.join(self.labels)}" if self.each and self.k else f"{bound} {either(self.labels)}"
        )

    def named(self) -> list[str]:
        return list(self.labels)

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [self.k, *self.labels], {"each": self.each}


class at_most(Cardinality):
    """At most k parts have one of the labels.

    >>> riata.constraints.at_most(1, "A0", "A1", each=True)
    at_most(1, 'A0', 'A1', each=True)
    """

    name = "at-most"
    summary = "at most k parts have one of the labels"
    paper = "punyakanok2005"

    @property
    def bounds(self) -> tuple[int, int | None]:
        return 0, self.k


CONSTRAINT = at_most
