"""Chosen spans share no token."""

from __future__ import annotations

from typing import Any

import numpy as np

from riata.inference.constraints.base import Constraint, Where, either, needed_spans, several_labels
from riata.inference.rules.rule import Flags, Ids, Parts, Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class OnSpans(Constraint):
    """A constraint on pairs of spans that have one of the labels; without labels: any label that does not say "nothing here"."""

    def __init__(self, *labels: Any, where: Where | None = None, penalty: float | None = None) -> None:
        super().__init__(where=where, penalty=penalty)
        self.labels = several_labels(labels, self.word) if labels else ()

    @property
    def is_shared(self) -> bool:
        return False

    def said_of_spans(self) -> str:
        return f" with {either(self.labels)}" if self.labels else ""

    def named(self) -> list[str]:
        return list(self.labels)

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return list(self.labels), {}

    def chosen(self, slots: Slots) -> Flags:
        """The labels that choose a span."""
        if self.labels:
            return slots.names.flags(self.labels)
        if slots.names.outside is None:
            raise self.refused("no labels in a task without a label for nothing", "the labels of spans that are chosen")
        return slots.names.inside()

    def spans(self, slots: Slots) -> tuple[Ids, Any]:
        """Slots that count and cover something, with their spans."""
        spans = needed_spans(self, slots)
        counted = self.slots_that_count(slots)
        numbers = np.arange(slots.count, dtype=np.int32) if counted is None else counted
        numbers = numbers[spans[numbers, 0] < spans[numbers, 1]]
        return numbers, spans[numbers]


class no_overlap(OnSpans):
    """No two spans with one of the labels share a token. A penalty counts once per pair of spans that do.

    Punyakanok, Roth, Yih & Zimak 2005, Sec. 5.2, have it for arguments of verbs.
    A hard one becomes one rule per largest set of spans that share a token.

    >>> riata.constraints.no_overlap("A0", "A1")
    no_overlap('A0', 'A1')
    """

    name = "no-overlap"
    summary = "no two spans with one of the labels share a token"
    paper = "punyakanok2005"

    def said(self) -> str:
        return f"no two spans{self.said_of_spans()} share a token"

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        labels, (numbers, spans) = self.chosen(slots), self.spans(slots)
        if self.penalty is not None:
            meet = np.triu((spans[:, None, 0] < spans[None, :, 1]) & (spans[None, :, 0] < spans[:, None, 1]), 1)
            groups = [numbers[list(pair)] for pair in np.argwhere(meet)]
        else:
            groups = [numbers[group] for group in _cliques(spans)]
        return [Rule(None, Parts(labels, group), 0, 1, self.cost, origin) for group in groups]


def _cliques(spans: Any) -> list[Any]:
    """The largest sets of spans that all share a token: at the first token of each span, unless the next such token has them all."""
    found: list[Any] = []
    for start in np.unique(spans[:, 0]):
        here = np.flatnonzero((spans[:, 0] <= start) & (start < spans[:, 1]))
        if found and np.isin(found[-1], here).all():
            found.pop()
        if len(here) > 1:
            found.append(here)
    return found


CONSTRAINT = no_overlap
