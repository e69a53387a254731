"""Exact inference on chains whose scores you have: Viterbi, the k best, and Viterbi against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.errors import DataError
from riata.inference.arrays import Scores, check_scores, finite, scores
from riata.settings import Setting

K = Setting("k", 1, "how many of the best", low=1, high=2**40)


def viterbi(node: Any, edge: Any) -> tuple[NDArray[np.int32], float]:
    """The best labels and their score.

    node: [T, L] score of each label at each token. edge: [L, L] score of a label (row) followed by a label (column). In [T, L, L],
    row t scores the step from token t - 1 to t (row 0 is not read). Minus infinity forbids. Ties go to the lowest label,
    read from the end.

    >>> labels, score = riata.viterbi([[1.0, 0.0], [0.0, 2.0]], [[0.0, -5.0], [0.0, 0.0]])
    >>> labels.tolist(), score
    ([1, 1], 2.0)
    """
    node, flat, per_token = _arrays(node, edge)
    return _core.viterbi(node, flat, per_token)


def kbest(node: Any, edge: Any, k: int) -> list[tuple[NDArray[np.int32], float]]:
    """The k best label sequences and their scores, best first; fewer if fewer are allowed. Arrays and ties as for viterbi.

    Huang & Chiang 2005, Algorithm 3: after the pass for the best sequence, each further one costs little more than its length.

    >>> for labels, score in riata.kbest([[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], 2):
    ...     print(labels.tolist(), score)
    ...
    [0, 1] 3.0
    [1, 1] 2.0
    """
    node, flat, per_token = _arrays(node, edge)
    found: list[tuple[NDArray[np.int32], float]] = _core.kbest(node, flat, per_token, int(K.parse(k)))
    return found


def loss_augmented_viterbi(
    node: Any, edge: Any, gold: Sequence[int], cost: float = 1.0
) -> tuple[NDArray[np.int32], float]:
    """The labels that maximise score + cost x Hamming loss against gold, and that maximum.

    >>> labels, score = riata.loss_augmented_viterbi([[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], [0, 1], cost=1.5)
    >>> labels.tolist(), score
    ([1, 1], 3.5)
    """
    node, flat, per_token = _arrays(node, edge)
    truth = np.asarray(gold)
    tokens, labels = node.shape
    if truth.shape != (tokens,) or truth.dtype.kind not in "iu" or not ((truth >= 0) & (truth < labels)).all():
        raise DataError(f"gold is {gold!r}; expected {tokens} label ids from 0 to {labels - 1}, one per token.")
    return _core.loss_augmented_viterbi(node, flat, per_token, truth.astype(np.int32), finite(cost, "cost"))


def _arrays(node: Any, edge: Any) -> tuple[Scores, Scores, bool]:
    node, edge = scores(node, "node"), scores(edge, "edge")
    pair = node.shape[1:] * 2  # (L, L)
    if node.ndim != 2 or 0 in node.shape or edge.shape not in (pair, node.shape[:1] + pair):
        raise DataError(
            f"node has the shape {node.shape} and edge {edge.shape}; expected [T, L], with at least one token and one label, "
            "and [L, L] or [T, L, L]."
        )
    check_scores(node, "node")
    check_scores(edge[1:] if edge.ndim == 3 else edge, "edge")
    return node, edge.ravel(), edge.ndim == 3
