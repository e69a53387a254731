"""Scores of labels in lists, one list per sentence: scikit-learn's make_scorer takes each of them.

Spans are counted as conlleval counts them. Those that start with `flat` look at one token after another, by scikit-learn, which they need.
All are from 0 to 1. Their names and arguments are those of sklearn_crfsuite.metrics, and the spans' are as seqeval has them without
`_score`.

>>> riata.metrics.span_f1_score([["B-NP", "I-NP", "O"]], [["B-NP", "I-NP", "O"]])
1.0
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from riata.data.memory import label_column
from riata.data.types import Column, Corpus
from riata.errors import UnsupportedError
from riata.scoring.evaluation import Evaluation, evaluate_column

Labels = Any  # a list of labels per sentence; an array of such lists, too

__all__ = [
    "flat_accuracy_score",
    "flat_classification_report",
    "flat_f1_score",
    "flat_fbeta_score",
    "flat_precision_score",
    "flat_recall_score",
    "sequence_accuracy_score",
    "span_f1_score",
    "span_precision_score",
    "span_recall_score",
    "span_report",
]


def span_f1_score(y_true: Labels, y_pred: Labels) -> float:
    """F1 of the chunks that tags such as B-NP write: what Chunker.score gives, from 0 to 1.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> riata.metrics.span_f1_score(gold, found)
    0.5
    """
    return span_report(y_true, y_pred).metrics["f1"] / 100


def span_precision_score(y_true: Labels, y_pred: Labels) -> float:
    """Precision of the chunks: the share of found chunks that are right.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> riata.metrics.span_precision_score(gold, found)
    0.5
    """
    return span_report(y_true, y_pred).metrics["precision"] / 100


def span_recall_score(y_true: Labels, y_pred: Labels) -> float:
    """Recall of the chunks: the share of true chunks that are found.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> riata.metrics.span_recall_score(gold, found)
    0.5
    """
    return span_report(y_true, y_pred).metrics["recall"] / 100


def span_report(y_true: Labels, y_pred: Labels) -> Evaluation:
    """Precision, recall and F1 of the chunks by type, which print shows as a table, with metrics in per cent and intervals.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> riata.metrics.span_report(gold, found).metrics["f1"]
    50.0
    """
    gold, found, starts = _columns(y_true, y_pred)
    return evaluate_column(gold, found.ids, found.alphabet.texts(), starts, chunks=True)


def sequence_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of sentences without an error.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> riata.metrics.sequence_accuracy_score(gold, found)
    0.0
    """
    _columns(y_true, y_pred)
    right = [list(one) == list(other) for one, other in zip(y_true, y_pred, strict=True)]
    return sum(right) / len(right) if right else 0.0


def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of tokens with the right label.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> round(riata.metrics.flat_accuracy_score(gold, found), 3)
    0.667
    """
    return float(_flat("accuracy_score", y_true, y_pred))


def flat_precision_score(y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    """Precision of single labels; average and labels are scikit-learn's.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> round(riata.metrics.flat_precision_score(gold, found, average="micro"), 3)
    0.667
    """
    return _flat("precision_score", y_true, y_pred, **options)


def flat_recall_score(y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    """Recall of single labels; average and labels are scikit-learn's.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> round(riata.metrics.flat_recall_score(gold, found, average="micro"), 3)
    0.667
    """
    return _flat("recall_score", y_true, y_pred, **options)


def flat_f1_score(y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    """F1 of single labels; average and labels are scikit-learn's.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> round(riata.metrics.flat_f1_score(gold, found, average="micro"), 3)
    0.667
    """
    return _flat("f1_score", y_true, y_pred, **options)


def flat_fbeta_score(y_true: Labels, y_pred: Labels, beta: float, **options: Any) -> Any:
    """F-beta of single labels: recall counts beta times as much as precision. average and labels are scikit-learn's.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> round(riata.metrics.flat_fbeta_score(gold, found, beta=0.5, average="micro"), 3)
    0.667
    """
    return _flat("fbeta_score", y_true, y_pred, beta=beta, **options)


def flat_classification_report(y_true: Labels, y_pred: Labels, labels: Any = None, **options: Any) -> Any:
    """scikit-learn's report by label, as text.

    >>> gold, found = [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]
    >>> report = riata.metrics.flat_classification_report(gold, found, zero_division=0)
    >>> report.split()[:4]
    ['precision', 'recall', 'f1-score', 'support']
    """
    return _flat("classification_report", y_true, y_pred, labels=labels, **options)


def _flat(name: str, y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    try:
        from sklearn import metrics
    except ImportError:
        raise UnsupportedError(f"flat_{name} is counted by scikit-learn.", remedy="pip install scikit-learn") from None
    _columns(y_true, y_pred)
    return getattr(metrics, name)(list(chain.from_iterable(y_true)), list(chain.from_iterable(y_pred)), **options)


def _columns(y_true: Labels, y_pred: Labels) -> tuple[Column, Column, np.ndarray]:
    """Both as columns, and where sentences start; refuses what does not fit together."""
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in y_true])]).astype(np.int64)
    shape = Corpus((), starts)
    return label_column(y_true, shape), label_column(y_pred, shape), starts


def __dir__() -> list[str]:
    return __all__
