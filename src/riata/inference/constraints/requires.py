"""Companions: a label needs another one somewhere, before it or after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from riata.inference.constraints.base import Constraint, Where, either, label_names, shown
from riata.inference.rules.rule import Automaton, Flags, Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots

SIDES = (None, "before", "after")


class requires(Constraint):
    """Where some part has one of the labels a, another part has one of the labels b.

    side: "before" or "after", if every part with a label of a needs one of b on this side of it; None: anywhere.

    >>> riata.constraints.requires("R-A0", "A0", side="before")
    requires('R-A0', 'A0', side='before')
    """

    name = "requires"
    summary = "a label needs a companion: requires('R-A0', 'A0'), also before or after it"
    paper = "punyakanok2005"

    def __init__(
        self,
        a: Any,
        b: Any,
        *,
        side: str | None = None,
        where: Where | None = None,
        per: str | None = None,
        penalty: float | None = None,
    ) -> None:
        super().__init__(where=where, per=per, penalty=penalty)
        self.a, self.b = label_names(a, self.word), label_names(b, self.word)
        if set(self.a) & set(self.b):
            raise self.refused(
                f"{sorted(set(self.a) & set(self.b))[0]!r} on both sides", "companions with other labels"
            )
        if side not in SIDES:
            raise self.refused(f"side={side!r}", "'before' or 'after', or None for anywhere")
        for name, value in (("where", where), ("per", per)):
            if side is not None and value is not None:
                raise self.refused(f"both side= and {name}=", "one of them")
        self.side = side

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        a, b = slots.names.flags(self.a), slots.names.flags(self.b)
        if twice := slots.names.shared(a, b):  # names of chunk types stand for labels
            raise self.refused(f"{twice!r} on both sides, in {self!r}", "companions with other labels")
        if self.side is None:
            return [Rule(parts(a), parts(b), 1, None, self.cost, origin) for parts in self.groups(slots)]
        return [self._automaton(a, b, origin)]

    def _automaton(self, a: Flags, b: Flags, origin: int) -> Automaton:
        """Of two states: before a companion was seen, and after; or no label waits for its companion, and some do."""
        table = np.repeat([[0], [1]], len(a), axis=1).astype(np.int32)
        if self.side == "before":
            table[0, a], table[0, b] = -1, 1
            accepting = [True, True]
        else:
            table[0, a], table[1, b] = 1, 0
            accepting = [True, False]
        return Automaton(table, np.array(accepting), self.cost, origin)

    def said(self) -> str:
        place = "" if self.side is None else f" {self.side} it"
        return f"every {either(self.a)} needs {either(self.b)}{place}"

    def named(self) -> list[str]:
        return [*self.a, *self.b]

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [shown(self.a), shown(self.b)], {"side": self.side}


CONSTRAINT = requires
