"""Whether confidences can be believed: of those near 0.8, are 80 % right?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import DataError

BINS = 15  # of equal mass
LEAST = 1e-6  # a confidence of 0 or 1 that is wrong would cost infinitely much

Values = NDArray[np.float64]
Rights = NDArray[np.bool_]


@dataclass(frozen=True)
class Bin:
    """Predictions of neighbouring confidence."""

    number: int
    confidence: float  # their mean
    right: float  # the share of them that is


@dataclass(frozen=True)
class Reliability:
    """How far confidences are from the shares that are right.

    ece: the expected calibration error, the mean distance between confidence and share over bins of equal mass. brier: the mean square
    of confidence less 1 (right) or 0 (wrong), which sharp confidences make small as well. log_loss: the mean of -log of what was right.
    """

    number: int
    accuracy: float
    ece: float
    brier: float
    log_loss: float
    bins: tuple[Bin, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "bins": [vars(each) for each in self.bins]}


def reliability(values: Values, right: Rights, bins: int = BINS) -> Reliability:
    """values: confidences; right: whether each prediction is."""
    if len(values) == 0:
        raise DataError("nothing is predicted here, so there is no confidence to judge.", remedy="Give other data.")
    order = np.argsort(values, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    found = tuple(Bin(len(part), float(values[part].mean()), float(right[part].mean())) for part in parts)
    return Reliability(
        number=len(values),
        accuracy=float(right.mean()),
        ece=sum(each.number * abs(each.confidence - each.right) for each in found) / len(values),
        brier=float(np.mean((values - right) ** 2)),
        log_loss=log_loss(values, right),
        bins=found,
    )


def log_loss(values: Values, right: Rights) -> float:
    sure = np.clip(values, LEAST, 1 - LEAST)
    return float(-np.mean(np.log(np.where(right, sure, 1 - sure))))
