"""If some part has one of the labels a, then a cardinality holds."""

from __future__ import annotations

from typing import Any

from riata.inference.constraints.at_least import at_least
from riata.inference.constraints.at_most import Cardinality
from riata.inference.constraints.base import Constraint, Where, either, label_names, shown
from riata.inference.rules.rule import Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class implies(Constraint):
    """If some part has one of the labels a, then b holds: a cardinality such as at_most(1, "A1"), or labels, of which one must be there.

    `where` is a condition on the parts of a; b may have its own.

    >>> riata.constraints.implies("TOTAL", riata.constraints.at_least(1, "ITEM"))
    implies('TOTAL', at_least(1, 'ITEM'))
    """

    name = "implies"
    summary = "if a label is there, a cardinality holds: implies('A2', at_least(1, 'A1'))"

    def __init__(
        self, a: Any, b: Any, *, where: Where | None = None, per: str | None = None, penalty: float | None = None
    ) -> None:
        super().__init__(where=where, per=per, penalty=penalty)
        self.a = label_names(a, self.word)
        self.b = b if isinstance(b, Cardinality) else at_least(1, *label_names(b, self.word))
        if self.b.penalty is not None or self.b.each:
            raise self.refused(
                f"{self.b!r} with a penalty or each=True", "implies(..., penalty=...), and one constraint per label"
            )

        if self.b.per is not None or (per is not None and self.b.where is not None):
            raise self.refused(f"{self.b!r} with per or where", "implies(..., per=..., where=...), which is for both")

    @property
    def is_shared(self) -> bool:
        return super().is_shared and self.b.where is None

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        low, high = self.b.bounds
        a, b = slots.names.flags(self.a), slots.names.flags(self.b.labels)
        return [
            Rule(parts(a), parts(b) if self.per else self.b.parts(b, slots), low, high, self.cost, origin)
            for parts in self.groups(slots)
        ]

    def said(self) -> str:
        return f"with {either(self.a)}, {self.b.in_words()}"

    def named(self) -> list[str]:
        return [*self.a, *self.b.labels]

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [shown(self.a), self.b], {}


CONSTRAINT = implies
