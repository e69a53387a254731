"""From the share of what a search kept to a confidence that can be believed: a temperature and, if asked, a rising curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import spans_of
from riata.data.types import Starts
from riata.errors import DataError, ModelFileError, SettingError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table


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


@dataclass(frozen=True, eq=False)
class JudgedUnits:
    """Predictions that are judged: the first token of each, whether it is right, and its sentence."""

    tokens: NDArray[np.int64]
    right: Rights
    sentences: NDArray[np.int64]


def units(predicted: Sequence[str], gold: Sequence[str], starts: Starts, *, chunks: bool) -> JudgedUnits:
    """Labels of all tokens. A chunk is right if the truth has one from the same to the same token, of the same type."""
    sentence_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if not chunks:
        right = np.array([a == b for a, b in zip(predicted, gold, strict=True)], bool)
        return JudgedUnits(np.arange(len(predicted)), right, sentence_of)
    tokens: list[int] = []
    rights: list[bool] = []
    for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        true = set(spans_of(gold[low:high]))
        for span in spans_of(predicted[low:high]):
            tokens.append(low + span.start)
            rights.append(span in true)
    at = np.array(tokens, np.int64)
    return JudgedUnits(at, np.array(rights, bool), sentence_of[at])


METHODS = ("temperature", "isotonic")
COLDEST, HOTTEST, COARSE = 1e-4, 1e4, 33  # temperatures tried at first: scores are of any scale
FINE, ROUNDS = 9, 3  # temperatures tried between the neighbours of the best one, and how often
MOST_KNOTS = 100_000
LONGEST_SEARCH = 100  # characters
CALLED, TRAINING = "calibrate(dev)", "training"  # where a calibration comes from

Judge = Callable[[list[float]], Values]  # temperatures to confidences, [temperatures, predictions]


@dataclass(frozen=True)
class Calibration:
    """An output of score s has the probability exp(s / temperature) / Z; of what that gives for a part, knots make what is believed."""

    temperature: float = 1.0
    knots: tuple[tuple[float, float], ...] = ()  # confidence before and after, rising; between them, straight lines
    source: str = CALLED
    search: str = ""  # with which it was found; empty: not known

    def corrected(self, values: Values) -> Values:
        """What to believe of confidences at this temperature."""
        if not self.knots:
            return values
        before, after = zip(*self.knots, strict=True)
        return np.asarray(np.interp(values, before, after), np.float64)

    @property
    def most(self) -> float:
        """The highest confidence that is believed."""
        return self.knots[-1][1] if self.knots else 1.0

    def to_dict(self) -> dict[str, Any]:
        knots = [list(knot) for knot in self.knots]
        source = {} if self.source == CALLED else {"source": self.source}
        search = {"search": self.search} if self.search else {}
        return {"temperature": self.temperature, "knots": knots, **source, **search}

    def __str__(self) -> str:
        curve = f", a curve of {len(self.knots):,} points" if self.knots else ""
        if self.source == TRAINING and self.knots:
            curve = f", at most {self.most:.3g}"
        return f"temperature {self.temperature:.3g}{curve}, from {self.source}"

    @classmethod
    def from_dict(cls, data: Any) -> Calibration:
        """Raises ModelFileError on anything that to_dict would not have written."""
        if not isinstance(data, dict) or not {"temperature", "knots"} <= set(data) <= {*vars(UNCALIBRATED)}:
            raise ModelFileError("the model's calibration is inconsistent")
        temperature, knots, source = data["temperature"], data["knots"], data.get("source", CALLED)
        search = data.get("search", "")
        ok = _is_within(temperature, COLDEST, HOTTEST)
        ok = ok and source in (CALLED, TRAINING) and isinstance(search, str) and len(search) <= LONGEST_SEARCH
        ok = ok and isinstance(knots, list) and len(knots) <= MOST_KNOTS
        ok = ok and all(isinstance(k, list) and len(k) == 2 and all(_is_within(x, 0, 1) for x in k) for k in knots)
        if not ok or any(a[0] >= b[0] or a[1] > b[1] for a, b in pairwise(knots)):
            raise ModelFileError("the model's calibration is inconsistent")
        return cls(float(temperature), tuple((float(x), float(y)) for x, y in knots), source, search)


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


COLUMNS = ("", "predictions", "right", "ECE", "Brier", "log loss")


@dataclass(frozen=True)
class Calibrated:
    """Of one output: its calibration, fitted to all sentences, and how reliable confidences were before and after.

    `after` is measured in two halves: each half of the sentences with the calibration that was fitted to the other.
    """

    output: str  # "chunks" or "tags"; of trees "heads" and "relations"
    calibration: Calibration
    before: Reliability
    after: Reliability

    def to_dict(self) -> dict[str, Any]:
        reliability = {"before": self.before.to_dict(), "after": self.after.to_dict()}
        return {"output": self.output, "calibration": self.calibration.to_dict(), **reliability}


@dataclass(frozen=True)
class CalibrationReport:
    """Output by output; str() is a table."""

    method: str
    outputs: tuple[Calibrated, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.method, "outputs": [each.to_dict() for each in self.outputs]}

    def rows(self) -> list[tuple[str, ...]]:
        """As COLUMNS has them."""
        found: list[tuple[str, ...]] = []
        for each in self.outputs:
            for when, judged in (("before", each.before), ("after", each.after)):
                shares = (
                    f"{100 * judged.accuracy:.2f} %",
                    f"{judged.ece:.4f}",
                    f"{judged.brier:.4f}",
                    f"{judged.log_loss:.4f}",
                )
                found.append((f"{each.output}, {when}", f"{judged.number:,}", *shares))
        return found

    def table(self) -> Table:
        from rich.table import Table

        table = Table(title=f"calibrated by {self.method}", title_justify="left")
        for i, name in enumerate(COLUMNS):
            table.add_column(name, justify="right" if i else "left")
        for row in self.rows():
            table.add_row(*row)
        return table

    def __str__(self) -> str:
        from riata.showing.table import as_text

        return as_text(self.table())

    def plot(self, path: str | Path) -> None:
        """Draws confidence against the share that is right, before and after. Needs the extra `plots`."""

        draw(self, path)


TEMPERATURES: NDArray[np.float64] = np.geomspace(1e-3, 1e3, 31)
TOLD_APART = 1e-5  # confidences may be of single precision


def margins(values: Values) -> Values:
    """values: confidences, [temperatures, ...]. Margins are 0 or more; NaN: the search knows no other output.

    At low temperatures, temperature x log(p / (1 - p)) of a confidence p comes close to the margin, and falls short of it in proportion to
    the temperature. So the line through its values at the two lowest temperatures at which p can still be told from 1 leads to it.
    """
    told = (values < 1 - TOLD_APART) & (values > TOLD_APART)
    first = np.minimum(np.argmax(told, axis=0), len(TEMPERATURES) - 2)
    near = []
    for at in (first, first + 1):
        p = np.clip(np.take_along_axis(values, at[None], axis=0)[0], TOLD_APART, 1 - TOLD_APART)
        near.append(TEMPERATURES[at] * np.log(p / (1 - p)))
    lower, higher = TEMPERATURES[first], TEMPERATURES[first + 1]
    at_zero = (higher * near[0] - lower * near[1]) / (higher - lower)
    return np.where(told.any(axis=0), np.maximum(at_zero, 0.0), np.nan)


def draw(report: CalibrationReport, path: str | Path) -> None:
    """A panel per output: before and after calibration, bins of equal mass, and the diagonal where confidence can be believed."""
    from pathlib import Path

    from riata.showing import plotting

    plotting.check(Path(path), "path")
    canvas = plotting.canvas(4.6 * len(report.outputs), 4.8)
    for axes, each in zip(canvas.subplots(1, len(report.outputs), squeeze=False)[0], report.outputs, strict=True):
        axes.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle=":")
        _curve(axes, each.before, "before", "tab:orange", "s")
        _curve(axes, each.after, "after", "tab:blue", "o")
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="share that is right", title=each.output)
        axes.set_aspect("equal")
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right", fontsize=8)
    canvas.suptitle(f"{report.method}; bins of equal mass; after: on the other half of the sentences", fontsize=9)
    plotting.save(canvas, Path(path))


def _curve(axes: Any, judged: Reliability, name: str, colour: str, marker: str) -> None:
    label = f"{name}: ECE {judged.ece:.3f}, Brier {judged.brier:.3f}"
    places = [each.confidence for each in judged.bins], [each.right for each in judged.bins]
    axes.plot(*places, marker=marker, markersize=4, color=colour, label=label, linewidth=1)
