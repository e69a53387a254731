"""Which labels may follow each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata._core import stuck_labels
from riata.data.types import Ids, Starts

Mask = NDArray[np.uint8]  # of labels: 1, or 0


class Legality(NamedTuple):
    """Which labels may start, end and follow each other: flags of [L], [L] and [L * L]."""

    start: Mask
    end: Mask
    follow: Mask

    @classmethod
    def free(cls, labels: int) -> Legality:
        return cls(np.ones(labels, np.uint8), np.ones(labels, np.uint8), np.ones(labels * labels, np.uint8))

    def __and__(self, other: Legality) -> Legality:
        """What both allow."""
        return Legality(self.start & other.start, self.end & other.end, self.follow & other.follow)

    def without(self, labels: NDArray[np.bool_]) -> Legality:
        """The same without labels that are flagged."""
        left = (~labels).astype(np.uint8)
        return Legality(self.start & left, self.end & left, self.follow & np.outer(left, left).ravel())

    def stuck(self, starts: Starts, sets: Mask, of: Ids) -> NDArray[np.int64]:
        """For sentences without a legal labelling, the first token at which no label is left. sets: flags of labels; of: the set of every
        token, -1: all labels.
        """
        return stuck_labels(starts, sets, of, *self)

    def stuck_alone(self, starts: Starts) -> NDArray[np.int64]:
        """The same if tokens may have all labels."""
        every = np.ones((1, len(self.start)), np.uint8)
        return self.stuck(starts, every, np.zeros(int(starts[-1]), np.int32))

    @property
    def is_free(self) -> bool:
        return all(flags.all() for flags in self)

    @property
    def is_complete(self) -> bool:
        """Whether some label may stand alone and follow itself, so that a sentence of any length has a legal labelling.

        In every encoding of chunks, the label outside of chunks does.
        """
        return bool((self.start & self.end & self.follow[:: len(self.start) + 1]).any())
