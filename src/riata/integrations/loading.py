"""Models for other libraries: those that label words, and say what each label is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riata.errors import UnsupportedError


def words_model(model: Any) -> Any:
    """A trained estimator, or its file. It must read words alone, since other libraries give it nothing else."""
    from riata.estimators.labelled_files import check_reads_words
    from riata.estimators.model_file import load_labeller

    estimator = load_labeller(model) if isinstance(model, (str, Path)) else model
    if not hasattr(estimator, "task_name") or estimator.file_format is not None or estimator.trees:
        raise UnsupportedError(
            f"{type(estimator).__name__} gives no labels of words.",
            remedy="Use a Tagger, a Chunker, an EntityRecognizer or a JointTagger, or the file of one.",
        )
    estimator._check_fitted()
    check_reads_words(estimator)
    return estimator


def parts(estimator: Any, labels: list[Any]) -> tuple[list[str] | None, list[str] | None]:
    """The tags and the chunk labels of a sentence; None where the model gives none."""
    columns = [list(column) for column in zip(*labels, strict=True)] if estimator.outputs > 1 else [labels]
    tags = chunks = None
    for column, is_chunk in zip(columns, estimator.labels.chunk_outputs, strict=True):
        if is_chunk:
            chunks = column
        else:
            tags = column
    return tags, chunks
