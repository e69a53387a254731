"""A temperature and, if need be, a ceiling, found with few searches, and carried from a model to another that has learnt more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata.confidence.calibration import COLDEST, HOTTEST, LEAST, Judge, Rights, Values

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
