"""One temperature, found with few searches, and carried from one model to another that has learnt more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from riata.confidence.calibration import COLDEST, HOTTEST, Judge
from riata.confidence.reliability import LEAST, Rights, Values

DOUBLINGS = np.arange(-4, 1)  # temperatures tried at first, as powers of 2 times the spread of scores
FLAT = 1e-9  # a loss that differs by no more does not depend on the temperature

# A model that has learnt from more data is right more often, also in comparison with the spread of its scores, so that its temperature rises
# by less. By how much was measured on development data of three tasks (docs/confidence.md): of models that are learnt by search, the true
# output is compared with parts of outputs, and more data sharpen these comparisons more.
GAIN, GAIN_OF_SEARCH = 0.08, 0.22


def best_temperature(judge: Judge, right: Rights, near: float) -> float | None:
    """The temperature of least loss; None: confidences do not depend on it. near: where to begin.

    The loss is that of `smoothed`. Its minimum is looked for on a grid of factors of 2 around `near`, extended while the best one is at
    its end; then between the neighbours of the best one, as the lowest point of a parabola in the logarithm of the temperature.
    """
    losses: dict[float, float] = {}

    def ask(temperatures: Sequence[float]) -> float:
        new = sorted({min(max(t, COLDEST), HOTTEST) for t in temperatures} - set(losses))
        if new:
            losses.update(zip(new, (smoothed(values, right) for values in judge(new)), strict=True))
        return min(losses, key=losses.__getitem__)

    best = ask((near * 2.0**DOUBLINGS).tolist())
    while best in (min(losses), max(losses)) and COLDEST < best < HOTTEST:
        further = best * 2.0 ** (np.arange(1, 4) * (1 if best == max(losses) else -1))
        found = ask(further.tolist())
        if found == best:
            break
        best = found
    if max(losses.values()) - min(losses.values()) < FLAT:
        return None
    best = ask([best / 2**0.5, best * 2**0.5])
    tried = sorted(losses)
    at = tried.index(best)
    return best if at in (0, len(tried) - 1) else _lowest(tried[at - 1 : at + 2], losses)


def _lowest(three: Sequence[float], losses: dict[float, float]) -> float:
    """Where a parabola through three losses is lowest, the middle one of which is the least."""
    x, y = np.log(three), np.array([losses[t] for t in three])
    curve, slope, _ = np.polyfit(x - x[1], y, 2)
    return float(np.exp(x[1] - slope / (2 * curve))) if curve > 0 else float(three[1])


def smoothed(values: Values, right: Rights) -> float:
    """The mean log loss against targets a little below 1 for what is right and above 0 for what is wrong (Platt 1999, Sec. 2.2), so that
    few predictions, all of them right, do not make a model certain.
    """
    sure, number = np.clip(values, LEAST, 1 - LEAST), int(right.sum())
    target = np.where(right, (number + 1) / (number + 2), 1 / (len(right) - number + 2))
    return float(-np.mean(target * np.log(sure) + (1 - target) * np.log(1 - sure)))


def partners(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """[S] For every sentence the next one of the same length, after the last one the first; its own number: there is no other."""
    found = np.arange(len(lengths))
    for length in np.unique(lengths[lengths > 0]):
        same = np.flatnonzero(lengths == length)
        found[same] = np.roll(same, -1)
    return found


def carried(temperature: float, spreads: tuple[float, float], tokens: tuple[int, int], *, searches: bool) -> float:
    """The temperature of a model, from that of another model of the same recipe.

    spreads: by how much either model scores true outputs above arbitrary ones; tokens: what either has learnt from; the other model first.
    searches: whether their recipe learns from a search.
    """
    gain = (tokens[0] / tokens[1]) ** (GAIN_OF_SEARCH if searches else GAIN)
    return min(max(temperature * spreads[1] / spreads[0] * gain, COLDEST), HOTTEST)
