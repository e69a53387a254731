"""From the share of what a search kept to a confidence that can be believed: a temperature and, if asked, a rising curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from riata.confidence.reliability import Rights, Values, log_loss
from riata.errors import ModelFileError, SettingError

METHODS = ("temperature", "isotonic")
COLDEST, HOTTEST, COARSE = 1e-4, 1e4, 33  # temperatures tried at first: scores are of any scale
FINE, ROUNDS = 9, 3  # temperatures tried between the neighbours of the best one, and how often
MOST_KNOTS = 100_000
CALLED, TRAINING = "calibrate(dev)", "training"  # where a calibration comes from

Judge = Callable[[list[float]], Values]  # temperatures to confidences, [temperatures, predictions]


@dataclass(frozen=True)
class Calibration:
    """An output of score s has the probability exp(s / temperature) / Z; of what that gives for a part, knots make what is believed."""

    temperature: float = 1.0
    knots: tuple[tuple[float, float], ...] = ()  # confidence before and after, rising; between them, straight lines
    source: str = CALLED

    def corrected(self, values: Values) -> Values:
        """What to believe of confidences at this temperature."""
        if not self.knots:
            return values
        before, after = zip(*self.knots, strict=True)
        return np.asarray(np.interp(values, before, after), np.float64)

    def to_dict(self) -> dict[str, Any]:
        knots = [list(knot) for knot in self.knots]
        source = {} if self.source == CALLED else {"source": self.source}
        return {"temperature": self.temperature, "knots": knots, **source}

    def __str__(self) -> str:
        curve = f", a curve of {len(self.knots):,} points" if self.knots else ""
        if self.source == TRAINING and self.knots:
            curve = f", at most {self.knots[-1][1]:.3g}"
        return f"temperature {self.temperature:.3g}{curve}, from {self.source}"

    @classmethod
    def from_dict(cls, data: Any) -> Calibration:
        """Raises ModelFileError on anything that to_dict would not have written."""
        if not isinstance(data, dict) or not {"temperature", "knots"} <= set(data) <= {*vars(UNCALIBRATED)}:
            raise ModelFileError("the model's calibration is inconsistent")
        temperature, knots, source = data["temperature"], data["knots"], data.get("source", CALLED)
        ok = _is_within(temperature, COLDEST, HOTTEST)
        ok = ok and source in (CALLED, TRAINING)
        ok = ok and isinstance(knots, list) and len(knots) <= MOST_KNOTS
        ok = ok and all(isinstance(k, list) and len(k) == 2 and all(_is_within(x, 0, 1) for x in k) for k in knots)
        if not ok or any(a[0] >= b[0] or a[1] > b[1] for a, b in pairwise(knots)):
            raise ModelFileError("the model's calibration is inconsistent")
        return cls(float(temperature), tuple((float(x), float(y)) for x, y in knots), source)


UNCALIBRATED = Calibration()


def fitted(judge: Judge, right: Rights, method: str) -> Calibration:
    """The calibration that makes what is right most probable."""
    check_method(method)
    temperature = _best_temperature(judge, right)
    if method == "temperature":
        return Calibration(temperature)
    return Calibration(temperature, _rising(judge([temperature])[0], right))


def check_method(method: str) -> None:
    if method not in METHODS:
        raise SettingError(f"method is {method!r}; expected one of: {', '.join(METHODS)}.")


def _best_temperature(judge: Judge, right: Rights) -> float:
    """The least log loss, by ever finer grids."""
    tried = [float(t) for t in np.geomspace(COLDEST, HOTTEST, COARSE)]
    for _ in range(ROUNDS):
        losses = [log_loss(values, right) for values in judge(tried)]
        best = int(np.argmin(losses))
        low, high = tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)]
        kept = tried[best]
        tried = sorted({kept, *(float(t) for t in np.geomspace(low, high, FINE))})
    return kept


def _rising(values: Values, right: Rights) -> tuple[tuple[float, float], ...]:
    """Isotonic regression: of each stretch of equal share, its mean confidence and that share, never quite 0 or 1."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    ties, first = np.unique(sorted_values, return_index=True)  # one point per confidence: equal ones have equal shares
    counts = np.diff([*first, len(values)])
    shares = np.add.reduceat(right[order].astype(np.float64), first) / counts
    found = isotonic_regression(shares, weights=counts)
    blocks = found.blocks
    slack = 1 / (len(values) + 2)
    knots = []
    for low, high in pairwise(blocks):
        stretch = ties[low:high]
        mean = np.average(stretch, weights=counts[low:high])
        at = np.clip(mean, stretch[0], stretch[-1])  # rounding may lead out of it
        knots.append((float(at), min(max(float(found.x[low]), slack), 1 - slack)))
    return tuple(knots)


def _is_within(value: object, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
