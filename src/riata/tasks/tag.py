"""Tagging: a plain label for every token."""

from __future__ import annotations

from collections.abc import Sequence

from riata.data.types import Corpus, Ids
from riata.scoring.accuracy import token_accuracy
from riata.tasks.base import SequenceEstimator, Task, union_ids


class Tagger(SequenceEstimator):
    __doc__ = f"""Tags every token: parts of speech, or any plain labels. Scored by accuracy.

    {(SequenceEstimator.__doc__ or "").partition("default.")[2].strip()}
    """

    task_name = "tag"
    chunks = False
    default_template = "tag"

    def _metric(self, data: Corpus, predicted: Ids, labels: Sequence[str]) -> float:
        return token_accuracy(union_ids(data.columns[-1], labels)[1], predicted) / 100


TASK = Task("tag", "a plain label for every token (parts of speech); accuracy", Tagger, chunks=False)
