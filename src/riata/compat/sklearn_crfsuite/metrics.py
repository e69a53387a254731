"""Scores of labels in lists, one list per sentence, as sklearn_crfsuite.metrics names them."""

from __future__ import annotations

from typing import Any

from riata.metrics import (
    flat_accuracy_score,
    flat_classification_report,
    flat_f1_score,
    flat_fbeta_score,
    flat_precision_score,
    flat_recall_score,
)

__all__ = [
    "flat_accuracy_score",
    "flat_classification_report",
    "flat_f1_score",
    "flat_fbeta_score",
    "flat_precision_score",
    "flat_recall_score",
    "sequence_accuracy_score",
]


def sequence_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of sentences without an error; labels may be of any type."""
    right = [list(one) == list(other) for one, other in zip(y_true, y_pred, strict=True)]
    return sum(right) / len(right) if right else 0.0


def __dir__() -> list[str]:
    return __all__
