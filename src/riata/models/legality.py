"""Which labels may follow each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata._core import stuck_labels
from riata.data.types import Ids, Starts

Flags = NDArray[np.uint8]


@dataclass(frozen=True)
class Legality:
    """Which labels may start, end and follow: flags of [L], [L] and [L * L]."""

    start: Flags
    end: Flags
    follow: Flags

    @classmethod
    def free(cls, labels: int) -> Legality:
        return cls(np.ones(labels, np.uint8), np.ones(labels, np.uint8), np.ones(labels * labels, np.uint8))

    @property
    def flags(self) -> tuple[Flags, Flags, Flags]:
        return self.start, self.end, self.follow

    def stuck(self, starts: Starts, sets: Flags, of: Ids) -> NDArray[np.int64]:
        """Of sentences that have no legal labelling, the token at which none goes on. sets: of labels, flags;
        of: that of every token, -1: all labels.
        """
        return stuck_labels(starts, sets, of, *self.flags)

    @property
    def is_free(self) -> bool:
        return all(flags.all() for flags in self.flags)

    @property
    def is_complete(self) -> bool:
        """Whether a label may stand alone and follow itself, so that a sentence of any length has a legal labelling.

        In every encoding of chunks, that is the label outside of them.
        """
        return bool((self.start & self.end & self.follow[:: len(self.start) + 1]).any())
