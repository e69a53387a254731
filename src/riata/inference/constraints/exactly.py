"""Exactly k parts have one of the labels."""

from __future__ import annotations

from riata.inference.constraints.at_most import Cardinality


class exactly(Cardinality):
    """Exactly k parts have one of the labels.

    >>> riata.constraints.exactly(1, "root")
    exactly(1, 'root')
    """

    name = "exactly"
    summary = "exactly k parts have one of the labels"

    @property
    def bounds(self) -> tuple[int, int | None]:
        return self.k, self.k


CONSTRAINT = exactly
