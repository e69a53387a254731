"""No chosen span lies within another one."""

from __future__ import annotations

import numpy as np

from riata.inference.constraints.no_overlap import OnSpans
from riata.inference.rules.rule import Parts, Rule
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots


class no_embedding(OnSpans):
    """No span with one of the labels lies within another one, or has the same tokens. A penalty counts once per such pair.

    >>> riata.constraints.no_embedding("A0")
    no_embedding('A0')
    """

    name = "no-embedding"
    summary = "no span with one of the labels lies within another one"
    paper = "punyakanok2005"

    def said(self) -> str:
        return f"no span{self.said_of_spans()} lies within another one"

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        labels, (numbers, spans) = self.chosen(slots), self.spans(slots)
        within = (spans[:, None, 0] <= spans[None, :, 0]) & (spans[None, :, 1] <= spans[:, None, 1])  # [outer][inner]
        within &= ~(within.T & np.tri(len(within), dtype=bool))  # of equal spans, the first one is the outer one
        rules: list[Grounded] = []
        for outer, row in zip(numbers, within, strict=True):
            inner = numbers[row]
            sets = [inner] if self.penalty is None else np.split(inner, len(inner)) if len(inner) else []
            when = Parts(labels, np.array([outer], np.int32))
            rules += [Rule(when, Parts(labels, one), 0, 0, self.cost, origin) for one in sets if len(one)]
        return rules


CONSTRAINT = no_embedding
