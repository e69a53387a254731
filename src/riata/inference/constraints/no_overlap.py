"""Chosen spans share no token."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from riata import _core
from riata.inference.constraints.base import Constraint, Where, either, needed_spans, several_labels
from riata.inference.rules.rule import Flags, Ids, Parts, Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import LabelNames, Slots


class OnSpans(Constraint):
    """A constraint on pairs of spans that have one of the labels; without labels: any label that does not say "nothing here"."""

    def __init__(self, *labels: Any, where: Where | None = None, penalty: float | None = None) -> None:
        super().__init__(where=where, penalty=penalty)
        self.labels = several_labels(labels, self.word) if labels else ()

    _chosen: tuple[LabelNames, Flags] | None = None

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
        """The labels that choose a span; found once for the same names."""
        if self._chosen is None or self._chosen[0] is not slots.names:
            self._chosen = slots.names, self._labels_of(slots)
        return self._chosen[1]

    def _labels_of(self, slots: Slots) -> Flags:
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
        covers = spans[:, 0] < spans[:, 1]
        if counted is None and covers.all():
            return numbers, spans
        numbers = numbers[covers[numbers]]
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
            starts, members = _core.overlapping(np.ascontiguousarray(spans, np.int32))
            groups = [numbers[members[low:high]] for low, high in pairwise(starts.tolist())]
        return [Rule(None, Parts(labels, group), 0, 1, self.cost, origin) for group in groups]


CONSTRAINT = no_overlap
