"""What is resampled to see how far a score can be trusted: sentences or, where documents are marked, whole documents.

Sentences of one document share topics, names and errors, so they are no independent samples: intervals over sentences are then too
narrow, and paired tests too sure. Counts of a document are the sums of its sentences' counts, and everything else is as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Ids
from riata.scoring.counts import Counts
from riata.scoring.significance import Interval, Statistic, blocks, draws

FEWEST = 10  # documents; with fewer, an interval by document means little


class SampledUnits(NamedTuple):
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


def units_of(document: Ids | None, sentences: int) -> SampledUnits:
    """document: [S] the document of each sentence, in any order; None: none are marked."""
    if document is None:
        return SampledUnits(None, sentences, 0)
    names, of = np.unique(document, return_inverse=True)
    if len(names) < FEWEST:
        return SampledUnits(None, sentences, len(names))
    return SampledUnits(of.astype(np.int64), len(names), len(names))


def interval_over_seeds(
    scored: Sequence[tuple[Statistic, Counts]], *, samples: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Of the mean score of several trainings: how far other seeds and other sentences could have moved it, both together.

    Sentences are resampled, the same ones for all trainings, since all of them were scored on the same. To every such mean
    the effect of other seeds is added, drawn from Student's t with the spread of the seeds that there are. Resampling the
    seeds themselves would give intervals that are far too narrow: three seeds have only ten different samples. What is due
    to seeds and sentences alike is counted twice, so that intervals are rather too wide.

    scored: of every training, the statistic and its counts, [S, K], of the same sentences.
    """
    values = [float(statistic(rows.sum(axis=0, dtype=np.float64))) for statistic, rows in scored]
    rows = np.concatenate([rows for _, rows in scored], axis=1).astype(np.float64)
    ends = np.cumsum([rows.shape[1] for _, rows in scored])[:-1]
    random = np.random.default_rng(seed)
    means = []
    for size in blocks(samples, len(rows)):
        parts = np.split(draws(random, size, len(rows)) @ rows, ends, axis=-1)
        means.append(np.mean([statistic(part) for (statistic, _), part in zip(scored, parts, strict=True)], axis=0))
    found = np.concatenate(means)
    if len(values) > 1:
        from scipy.special import stdtrit  # slow to import, and few need it

        shares = (random.permutation(samples) + 0.5) / samples
        found = found + np.std(values, ddof=1) / np.sqrt(len(values)) * stdtrit(len(values) - 1, shares)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(np.mean(values)), float(low), float(high), level)
