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


DOUBLINGS = np.arange(-4, 1)  # temperatures tried at first, as powers of 2 times the spread of scores
FLAT = 1e-9  # a loss that differs by no more does not depend on the temperature
NEXT = 2.5  # factor between temperatures that are neighbours
LEVEL = 0.05  # share of the loss by which it differs little: all temperatures tried may be far too high or too low

# A model that has learnt from more data is right more often, also in comparison with the spread of its scores, so its temperature is a
# smaller part of this spread. How much smaller was measured on development data of chunks, entities and tags (docs/confidence.md): by
# a power of the tokens, which is lowest for recipes that learn probabilities.
GAIN, GAIN_OF_SEARCH, GAIN_OF_PROBABILITIES = 0.08, 0.22, 0.04
GAIN_OF_CEILING = 0.3  # the same for the share of what is wrong although its confidence is as high as it can be
LOWEST, NEEDED = 0.3, 0.95  # the lowest ceiling, and the share of the loss without one below which a ceiling is used


@dataclass(frozen=True)
class CarriedFit:
    """A confidence p at this temperature is believed as ceiling x p."""

    temperature: float
    ceiling: float = 1.0


def best_fit(judge: Judge, right: Rights, near: float) -> CarriedFit | None:
    """The temperature of least loss; and a ceiling, if much is wrong at any temperature although its confidence is near 1.

    So it is with narrow beams, which soon keep one way alone of doing most things. None: confidences do not depend on the temperature.
    """
    plain = best_temperature(judge, right, near, smoothed)
    if plain is None:
        return None
    capped = best_temperature(judge, right, near, lambda values, right: _under_ceiling(values, right)[1]) or plain
    ceiling, loss = _under_ceiling(judge([capped])[0], right)
    return CarriedFit(capped, ceiling) if loss < NEEDED * smoothed(judge([plain])[0], right) else CarriedFit(plain)


def _under_ceiling(values: Values, right: Rights) -> tuple[float, float]:
    """The best ceiling, and its loss."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(lambda ceiling: smoothed(ceiling * values, right), bounds=(LOWEST, 1), method="bounded")
    return float(found.x), float(found.fun)


def smoothed(values: Values, right: Rights) -> float:
    """The mean log loss against targets a little below 1 for what is right and above 0 for what is wrong (Platt 1999, Sec. 2.2), so that
    few predictions, all of them right, do not make a model certain.
    """
    sure, number = np.clip(values, LEAST, 1 - LEAST), int(right.sum())
    target = np.where(right, (number + 1) / (number + 2), 1 / (len(right) - number + 2))
    return float(-np.mean(target * np.log(sure) + (1 - target) * np.log(1 - sure)))


def first_tried(near: float) -> list[float]:
    """The temperatures that are tried at once when it is not known more than that they are below `near`."""
    found: list[float] = np.unique(np.clip(near * 2.0**DOUBLINGS, COLDEST, HOTTEST)).tolist()
    return found


def best_temperature(judge: Judge, right: Rights, near: float, loss: Callable[[Values, Rights], float]) -> float | None:
    """The temperature of least loss; None: confidences do not depend on it. near: where to begin.

    The minimum is looked for on a grid of factors of 2 around `near`, which is extended and refined until both neighbours of the best one
    are tried; then between these, as the lowest point of a parabola in the logarithm of the temperature.
    """
    losses: dict[float, float] = {}

    def ask(temperatures: Sequence[float]) -> float:
        new = sorted(set(np.clip(temperatures, COLDEST, HOTTEST).tolist()) - set(losses))
        if new:
            losses.update(zip(new, (loss(values, right) for values in judge(new)), strict=True))
        return min(losses, key=losses.__getitem__)

    best = ask(first_tried(near))
    if max(losses.values()) - min(losses.values()) < LEVEL * max(losses.values()):
        best = ask(np.geomspace(COLDEST, HOTTEST, 9).tolist())
    known = 0
    while known < len(losses):
        known = len(losses)
        best = ask(_beside(best, sorted(losses)))
    if max(losses.values()) - min(losses.values()) < FLAT:
        return None
    best = ask([best / 2**0.5, best * 2**0.5])
    tried = sorted(losses)
    at = tried.index(best)
    return best if at in (0, len(tried) - 1) else _lowest(tried[at - 1 : at + 2], losses)


def _beside(best: float, tried: Sequence[float]) -> list[float]:
    """What to try next: beyond the end of what was tried, or between the best one and neighbours that are far away."""
    at, found = tried.index(best), []
    for beyond, step in ((at == 0, -1), (at == len(tried) - 1, 1)):
        if beyond:
            found += [best * 2.0 ** (step * i) for i in (1, 2, 3)]
        elif not 1 / NEXT <= tried[at + step] / best <= NEXT:
            found.append((best * tried[at + step]) ** 0.5)
    return found


def _lowest(three: Sequence[float], losses: dict[float, float]) -> float:
    """Where a parabola through three losses is lowest, the middle one of which is the least."""
    x, y = np.log(three), np.array([losses[t] for t in three])
    curve, slope, _ = np.polyfit(x - x[1], y, 2)
    return float(np.exp(x[1] - slope / (2 * curve))) if curve > 0 else float(three[1])


def partners(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """[S] For every sentence the next one of the same length, after the last one the first; its own number: there is no other."""
    found = np.arange(len(lengths))
    for length in np.unique(lengths[lengths > 0]):
        same = np.flatnonzero(lengths == length)
        found[same] = np.roll(same, -1)
    return found


def carried(fit: CarriedFit, spreads: tuple[float, float], tokens: tuple[int, int], gain: float) -> CarriedFit:
    """What fits a model, from what fits another model of the same recipe.

    spreads: by how much either model scores true outputs above arbitrary ones; tokens: what either has learnt from; the other model first.
    gain: the power that suits their recipe.
    """
    more = tokens[0] / tokens[1]
    temperature = fit.temperature * spreads[1] / spreads[0] * more**gain
    return CarriedFit(min(max(temperature, COLDEST), HOTTEST), 1 - (1 - fit.ceiling) * more**GAIN_OF_CEILING)
