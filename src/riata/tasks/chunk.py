"""Chunking: flat, labelled spans, written as tags (B-NP, I-NP, O)."""

from __future__ import annotations

from collections.abc import Sequence

from riata.data.types import Corpus, Ids
from riata.scoring.spans import count_spans, f1_of
from riata.tasks.base import SequenceEstimator, Task, union_ids


class Chunker(SequenceEstimator):
    __doc__ = f"""Finds chunks, from IOB1, IOB2, BIOES or BILOU tags. Scored by span F1, as conlleval counts.

    {(SequenceEstimator.__doc__ or "").partition("default.")[2].strip()}
    """

    task_name = "chunk"
    chunks = True
    default_template = "chunk"

    def _metric(self, data: Corpus, predicted: Ids, labels: Sequence[str]) -> float:
        known, gold = union_ids(data.columns[-1], labels)
        return float(f1_of(count_spans(known, gold, predicted, data.starts).rows().sum(axis=0))) / 100


TASK = Task("chunk", "flat labelled spans as tags (B-NP, I-NP, O); span F1 as conlleval counts", Chunker, chunks=True)
