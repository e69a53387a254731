"""What is resampled to see how far a score can be trusted: sentences or, where documents are marked, whole documents.

Sentences of one document share topics, names and errors, so they are no independent samples: intervals over sentences are then too
narrow, and paired tests too sure. Counts of a document are the sums of its sentences' counts, and everything else is as before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Ids

FEWEST = 10  # documents; with fewer, an interval by document means little


class Units(NamedTuple):
    """The samples that sentences make up."""

    of: NDArray[np.int64] | None  # [S] the document of each sentence, from 0 on; None: samples are sentences
    number: int  # of samples
    documents: int  # that are marked, whether resampled or not; 0: none are marked

    def __str__(self) -> str:
        """What is resampled, in words."""
        if self.of is not None:
            return f"{self.number:,} documents"
        if not self.documents:
            return "sentences"
        return f"sentences; only {self.documents} document{'s' * (self.documents != 1)}"

    def sums(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Counts per sentence, [S, K], as counts per sample, [number, K]."""
        if self.of is None:
            return rows
        found = np.zeros((self.number, *rows.shape[1:]), rows.dtype)
        np.add.at(found, self.of, rows)
        return found


def units_of(document: Ids | None, sentences: int) -> Units:
    """document: [S] the document of each sentence, in any order; None: none are marked."""
    if document is None:
        return Units(None, sentences, 0)
    names, of = np.unique(document, return_inverse=True)
    if len(names) < FEWEST:
        return Units(None, sentences, len(names))
    return Units(of.astype(np.int64), len(names), len(names))
