"""Files to labelled files: read in batches, predicted side by side, written in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from riata.data import columns
from riata.data.conllu import FIELDS
from riata.data.types import Corpus, Ids
from riata.errors import UnsupportedError
from riata.parallel import in_order

if TYPE_CHECKING:
    from riata.tasks.base import SequenceEstimator


def labelled(
    estimator: SequenceEstimator, file: str | Path, *, conllu: bool, threads: int, nbest: int | None = None
) -> Iterator[bytes]:
    """The bytes of the file with the predictions, batch by batch as they can be read. threads never changes them."""
    if conllu and not all(0 <= output < len(FIELDS) for output in estimator.outputs_):
        raise UnsupportedError(
            "the model was not trained on CoNLL-U: there is no field to put its labels in.",
            remedy="Give a file of columns, or format columns.",
        )
    label = estimator.labeller()

    def formatted(batch: Corpus, labels: Ids, notes: Sequence[str] = ()) -> bytes:
        added = estimator.output_columns(labels)
        if conllu:
            for output, column in zip(estimator.outputs_, added, strict=True):
                batch = columns.with_texts(batch, output, column)
            return b"".join(columns.formatted(batch, notes=notes))
        return b"".join(columns.formatted(batch, added, notes))

    def answer(batch: Corpus) -> bytes:
        if nbest is None:
            return formatted(batch, label(batch))
        return formatted(*_alternatives(batch, estimator.nbest_ids(batch, nbest)))

    return in_order(answer, columns.stream(file, conllu=conllu), threads)


def _alternatives(batch: Corpus, nbest: list[list[tuple[Ids, float]]]) -> tuple[Corpus, Ids, list[str]]:
    """Every sentence once per labelling, the labels of all, and the rank and score of each."""
    repeated = batch[[s for s, found in enumerate(nbest) for _ in found]]
    notes = [f"# {rank} {score:.6f}" for found in nbest for rank, (_, score) in enumerate(found)]
    return repeated, np.concatenate([ids for found in nbest for ids, _ in found]), notes
