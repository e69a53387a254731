"""Files to labelled files: read in batches, predicted side by side, written in their order."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from riata.data import columns
from riata.data.conllu import FIELDS
from riata.data.source import PIECE
from riata.data.types import Column, Corpus, Ids
from riata.errors import UnsupportedError
from riata.parallel import in_order

if TYPE_CHECKING:
    from riata.tasks.base import SequenceEstimator


ABSTAINED = "_"  # in place of a tag


@dataclass(frozen=True)
class Shown:
    """What is written of predictions beside the labels."""

    nbest: int | None = None  # every sentence so many times, best labelling first
    confidence: bool = False  # a column more per output, with four decimals; of CoNLL-U, Confidence= in the last field
    min_confidence: float | None = None  # below it a chunk is O, and a tag _


def labelled(
    estimator: SequenceEstimator,
    file: str | Path,
    *,
    conllu: bool,
    threads: int,
    shown: Shown | None = None,
    given: int | None = None,
) -> Generator[bytes]:
    """The bytes of the file with the predictions, batch by batch as they can be read. threads never changes them. Close it.

    given: the column that holds labels to keep, `_` where any will do.
    """
    shown = shown or Shown()
    nbest, confidence, min_confidence = shown.nbest, shown.confidence, shown.min_confidence
    if nbest is not None and min_confidence is not None:
        raise UnsupportedError(
            "min_confidence is for the best labelling, not for a list of the n best.", remedy="Leave out one of them."
        )
    if given is not None:
        from riata.inference.knowing import check_given, knowing_column

        check_given(given, min_confidence)
    if conllu and not all(0 <= output < len(FIELDS) for output in estimator.outputs_):
        raise UnsupportedError(
            "the model was not trained on CoNLL-U: there is no field to put its labels in.",
            remedy="Give a file of columns, or format columns.",
        )
    label = estimator.labeller()

    def formatted(
        batch: Corpus, added: Sequence[Column], notes: Sequence[str] = (), sure: Sequence[Column] = ()
    ) -> bytes:
        if conllu:
            for output, column in zip(estimator.outputs_, added, strict=True):
                batch = columns.with_texts(batch, output, column)
            if sure:
                batch = columns.with_texts(batch, len(FIELDS) - 1, _noted(batch.columns[-1], sure))
            return b"".join(columns.formatted(batch, notes=notes))
        return b"".join(columns.formatted(batch, [*added, *sure], notes))

    def answer(batch: Corpus) -> bytes:
        if given is not None:
            batch = knowing_column(estimator, batch, given)
        if nbest is not None:
            found = estimator.nbest_ids(batch, nbest)
            scores = [[score for _, score in sentence] for sentence in found]
            shares = estimator.nbest_probabilities(batch, scores) if confidence else None
            repeated, labels, notes = _alternatives(batch, found, shares)
            return formatted(repeated, estimator.output_columns(labels), notes)
        if not confidence and min_confidence is None:
            return formatted(batch, estimator.output_columns(label(batch)))
        ids, values = estimator.confidence_ids(batch)
        added = estimator.output_columns(ids)
        if min_confidence is not None:
            texts = estimator.abstaining(ids, values, min_confidence)
            added = [Column.of([ABSTAINED if text is None else text for text in each]) for each in texts]
        sure = [Column.of([f"{value:.4f}" for value in row]) for row in values] if confidence else []
        return formatted(batch, added, sure=sure)

    stopped = threading.Event()
    batches = columns.stream(file, conllu=conllu, stopped=stopped)
    return in_order(answer, batches, 1 if _is_short(file) else threads, stopped)


def _is_short(file: str | Path) -> bool:
    """Whether a file is read in one batch, so that there is nothing to share out among threads."""
    try:
        return os.path.isfile(file) and os.path.getsize(file) < PIECE and not str(file).endswith(".gz")
    except (OSError, ValueError):  # told when it is read
        return False


def _noted(last: Column, sure: Sequence[Column]) -> Column:
    """The last field of CoNLL-U with Confidence= for each output, beside what it holds."""
    numbers = zip(*(column.texts() for column in sure), strict=True)
    notes = (f"Confidence={','.join(each)}" for each in numbers)
    return Column.of(
        [note if text == "_" else f"{text}|{note}" for text, note in zip(last.texts(), notes, strict=True)]
    )


def _alternatives(
    batch: Corpus, nbest: list[list[tuple[Ids, float]]], shares: list[list[float]] | None
) -> tuple[Corpus, Ids, list[str]]:
    """Every sentence once per labelling, the labels of all, and the rank and score of each, with its probability where there is one."""
    repeated = batch[[s for s, found in enumerate(nbest) for _ in found]]
    notes = []
    for s, found in enumerate(nbest):
        for rank, (_, score) in enumerate(found):
            notes.append(f"# {rank} {score:.6f}" + ("" if shares is None else f" {shares[s][rank]:.6f}"))
    return repeated, np.concatenate([ids for found in nbest for ids, _ in found]), notes
