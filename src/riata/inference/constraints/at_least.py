"""At least k parts have one of the labels."""

from __future__ import annotations

from riata.inference.constraints.at_most import Cardinality


class at_least(Cardinality):
    """At least k parts have one of the labels.

    >>> riata.constraints.at_least(1, "VP")
    at_least(1, 'VP')
    """

    name = "at-least"
    summary = "at least k parts have one of the labels"
    paper = "punyakanok2005"
    least = 1  # at_least(0) says nothing

    @property
    def bounds(self) -> tuple[int, int | None]:
        return self.k, None


CONSTRAINT = at_least
