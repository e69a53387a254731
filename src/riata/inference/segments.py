"""Exact inference on segments whose scores you have: the best segmentation, the k best, the best against the truth, and sums over all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riata import _core
from riata.errors import DataError, printed
from riata.inference.arrays import Scores, check_scores, finite, scores
from riata.inference.chain import K

Segment = tuple[int, int, int]  # first token, token after the last, label


def segment_viterbi(span: Any, edge: Any = None) -> tuple[list[Segment], float]:
    """The best segments, as (start, end, label) with end after the last token, and their score.

    span: [T, M, L] score of a segment that starts at token t, has m + 1 tokens and a label; entries beyond the last token are not read.
    edge: [L, L] score of a label (row) followed by a label (column); None: all zero. In [T, L, L], row t scores the step into a segment
    that starts at token t (row 0 is not read). Minus infinity forbids; where nothing is allowed there are no segments, and the score is
    minus infinity. Ties go to the lowest label, then to the shortest segment, read from the end.

    Sarawagi & Cohen 2004, Sec. 3.1.

    >>> import numpy as np
    >>> span = np.zeros((3, 2, 2))
    >>> span[0, 1, 1] = 2.0  # tokens 0 and 1 as one segment with the label 1
    >>> riata.segment_viterbi(span, None)
    ([(0, 2, 1), (2, 3, 0)], 2.0)
    """
    found: tuple[list[Segment], float] = _core.segment_viterbi(*_arrays(span, edge))
    return found


def segment_kbest(span: Any, edge: Any, k: int) -> list[tuple[list[Segment], float]]:
    """The k best segmentations and their scores, best first; fewer if fewer are allowed. Arrays as for segment_viterbi.

    Each is found when it is asked for (Huang & Chiang 2005, Algorithm 3).

    >>> import numpy as np
    >>> span = np.zeros((3, 2, 2))
    >>> span[0, 1, 1] = 2.0  # tokens 0 and 1 as one segment with the label 1
    >>> riata.segment_kbest(span, None, 2)
    [([(0, 2, 1), (2, 3, 0)], 2.0), ([(0, 2, 1), (2, 3, 1)], 2.0)]
    """
    found: list[tuple[list[Segment], float]] = _core.segment_kbest(*_arrays(span, edge), int(K.parse(k)))
    return found


def loss_augmented_segment_viterbi(
    span: Any, edge: Any, gold: Sequence[Segment], cost: float = 1.0
) -> tuple[list[Segment], float]:
    """The segments that maximise score + cost x loss against gold, and that maximum. The loss counts wrong segments and missed ones.

    gold: segments that cover all tokens, as segment_viterbi returns them; some may be longer than those that have scores.

    >>> import numpy as np
    >>> span = np.zeros((3, 2, 2))
    >>> span[0, 1, 1] = 2.0  # tokens 0 and 1 as one segment with the label 1
    >>> riata.loss_augmented_segment_viterbi(span, None, [(0, 2, 1), (2, 3, 0)], cost=1.0)
    ([(0, 1, 0), (1, 2, 0), (2, 3, 1)], 5.0)
    """
    spans, flat, per_token = _arrays(span, edge)
    tokens, _, labels = spans.shape
    if not _covers(gold, tokens, labels):
        raise DataError(
            f"gold is {printed(gold):.200}; expected (start, end, label) one after the other, from token 0 to {tokens}, "
            f"with labels from 0 to {labels - 1}."
        )
    found: tuple[list[Segment], float] = _core.loss_augmented_segment_viterbi(
        spans, flat, per_token, np.asarray(gold).tolist(), finite(cost, "cost")
    )
    return found


def segment_log_sum(span: Any, edge: Any = None) -> float:
    """log of the sum of exp(score) over all segmentations; minus infinity if nothing is allowed. Arrays as for segment_viterbi.

    >>> import numpy as np
    >>> span = np.zeros((3, 2, 2))
    >>> span[0, 1, 1] = 2.0  # tokens 0 and 1 as one segment with the label 1
    >>> round(riata.segment_log_sum(span, None), 3)
    3.36
    """
    total: float = _core.segment_sums(*_arrays(span, edge))[0]
    return total


def segment_posteriors(span: Any, edge: Any = None) -> Scores:
    """[T, M, L] the probability of each segment, if a segmentation has the probability exp(score) / sum. Arrays as for segment_viterbi.

    >>> import numpy as np
    >>> span = np.zeros((3, 2, 2))
    >>> span[0, 1, 1] = 2.0  # tokens 0 and 1 as one segment with the label 1
    >>> riata.segment_posteriors(span, None)[0, 1].round(3).tolist()
    [0.069, 0.514]
    """
    arrays = _arrays(span, edge)
    total, posteriors = _core.segment_sums(*arrays)
    if total == -np.inf:
        raise DataError(
            "every segmentation is forbidden, so that none has a probability.",
            remedy="Allow segments that cover all tokens.",
        )
    shaped: Scores = posteriors.reshape(arrays[0].shape)
    return shaped


def _covers(segments: Any, tokens: int, labels: int) -> bool:
    try:
        numbers = np.asarray(segments)
    except ValueError:  # rows of different lengths
        return False
    if numbers.ndim != 2 or numbers.shape[1] != 3 or not len(numbers) or numbers.dtype.kind not in "iu":
        return False
    starts, ends, found = numbers.T
    follow = starts[0] == 0 and ends[-1] == tokens and (starts[1:] == ends[:-1]).all()
    return bool(follow and (ends > starts).all() and (found >= 0).all() and (found < labels).all())


def _arrays(span: Any, edge: Any) -> tuple[Scores, Scores, bool]:
    span, edge = scores(span, "span"), np.empty(0) if edge is None else scores(edge, "edge")
    pair = span.shape[2:] * 2  # (L, L)
    if span.ndim != 3 or 0 in span.shape or edge.shape not in ((0,), pair, span.shape[:1] + pair):
        raise DataError(
            f"span has the shape {span.shape} and edge {edge.shape}; expected [T, M, L], with at least one token, one length and one "
            "label, and [L, L], [T, L, L] or None."
        )
    tokens, most, _ = span.shape
    check_scores(span[np.add.outer(np.arange(tokens), np.arange(most)) < tokens], "span")
    check_scores(edge[1:] if edge.ndim == 3 else edge, "edge")
    return span, edge.ravel(), edge.ndim == 3
