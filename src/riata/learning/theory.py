"""Bounds on the number of updates of learning by search (Daumé & Marcu 2005, Sec. 3.4), as corrected.

All of them speak of unit weights u and of the differences delta = y-good minus y-bad features that updates are made of; p is
u . delta of a decision (for the bounds of ALMA: u . delta / max(1, |delta|)), and gamma a margin that u is asked for. They
bound *updates*, of which a sentence may cause many, and they hold for every u and gamma > 0: a poor choice only makes them
loose. They need updates that violate: where the weights preferred the truth already (by more than ALMA's margin), an update
proves nothing, and no bound holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riata.errors import UnsupportedError

ROUNDING = 1e-6  # of settings that a theorem asks for


def theorem1(R: float, gamma: float) -> float:
    """Perceptron steps on data that u separates by gamma: at most (R / gamma)^2 updates.

    As corrected: R is the largest |delta| of an update. The paper takes it over one-step successors of y-good nodes only, but an
    update compares with nodes that left the truth several steps ago.
    """
    _positive(gamma=gamma)
    return (R / gamma) ** 2


def corollary2(R: float, D: float, gamma: float) -> float:
    """Perceptron steps on any data: at most ((R + D) / gamma)^2 updates; D is `shortfall2` over all decisions of the run.

    (Freund & Schapire 1999.) With D = 0 it is Theorem 1. Decisions that are met in every epoch count in every epoch.
    """
    _positive(gamma=gamma)
    return ((R + D) / gamma) ** 2


def corollary3(bound: float, examples: int) -> float:
    """The chance of an error on a new example, after one pass over so many: 2 / (examples + 1) times the bound of Corollary 2.

    The corollary has the expected bound over draws of examples + 1; the bound of the one sample at hand is an estimate of it.
    """
    return 2 / (examples + 1) * bound


def theorem4(alpha: float, gamma: float, p: float = 2) -> float:
    """ALMA with B = sqrt(8)/alpha and C = sqrt(2), on data that u separates by gamma.

    At most 2 (p - 1) / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4 updates. As corrected: gamma is the margin of *normalised*
    differences, the least u . delta / max(1, |delta|_p) for u of q-norm 1, 1/p + 1/q = 1; the paper does not say so.
    """
    _positive(gamma=gamma, alpha=alpha)
    return 2 * (p - 1) / gamma**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4


def corollary5(C: float, gamma: float, D1: float) -> float:
    """ALMA with C^2 + 2 (1 - alpha) B C = 1, on any data; D1 is `shortfall1` over all decisions of the run.

    At most D1 / gamma + rho^2 / 2 + rho sqrt(rho^2 / 4 + D1 / gamma + 1) updates. As corrected: rho = 1 / (C gamma), of which the
    paper prints the square, and D1 is the plain sum of shortfalls, not the square root of the sum of their squares.
    """
    _positive(gamma=gamma, C=C)
    rho, share = 1 / (C * gamma), D1 / gamma
    return share + rho**2 / 2 + rho * math.sqrt(rho**2 / 4 + share + 1)


def corollary6(bound: float, examples: int) -> float:
    """As Corollary 3, from the bound of Corollary 5, whose corrections it inherits."""
    return corollary3(bound, examples)


def shortfall2(p: ArrayLike, gamma: float) -> float:
    """D of Corollary 2: the square root of the sum of max(0, gamma - p)^2 over decisions."""
    return float(np.linalg.norm(_shortfalls(p, gamma)))


def shortfall1(p: ArrayLike, gamma: float) -> float:
    """D1 of Corollary 5: the sum of max(0, gamma - p) over decisions."""
    return float(_shortfalls(p, gamma).sum())


def best_corollary2(R: float, p: ArrayLike, epochs: int = 1) -> tuple[float, float]:
    """The least bound of Corollary 2 over gamma, and that gamma. p: of every decision, met once in each epoch."""
    repeated = math.sqrt(epochs)
    return _least(lambda gamma: corollary2(R, repeated * shortfall2(p, gamma), gamma), max(R, 1.0))


def best_corollary5(C: float, p: ArrayLike, epochs: int = 1) -> tuple[float, float]:
    """The least bound of Corollary 5 over gamma, and that gamma. p: of every decision, normalised, met once in each epoch."""
    return _least(lambda gamma: corollary5(C, gamma, epochs * shortfall1(p, gamma)), 1.0)


def check_theorem4(alpha: float, B: float, C: float) -> None:
    """Refuses settings of ALMA that Theorem 4 is not proved for."""
    if not (_close(B, math.sqrt(8) / alpha) and _close(C, math.sqrt(2))):
        raise UnsupportedError(
            f"Theorem 4 is proved for B = sqrt(8)/alpha and C = sqrt(2); found B = {B:.4g}, C = {C:.4g}, alpha = {alpha:g}.",
            remedy=f"Train with settings B={math.sqrt(8) / alpha:.7g} and C={math.sqrt(2):.7g}.",
        )


def check_corollary5(alpha: float, B: float, C: float) -> None:
    """Refuses settings of ALMA that Corollary 5 is not proved for: the defaults among them, since C = sqrt(2) is too large."""
    found = C**2 + 2 * (1 - alpha) * B * C
    if not _close(found, 1):
        example = 0.5
        matching = f"C={example} and B={(1 - example**2) / (2 * (1 - alpha) * example):.7g}" if alpha < 1 else "C=1"
        raise UnsupportedError(
            f"Corollary 5 is proved for C^2 + 2 (1 - alpha) B C = 1; found {found:.4g}.",
            remedy=f"Train with C below 1 and B = (1 - C^2) / (2 (1 - alpha) C), such as {matching}.",
        )


def _shortfalls(p: ArrayLike, gamma: float) -> NDArray[np.float64]:
    return np.maximum(0.0, gamma - np.asarray(p, np.float64))


def _least(bound: Callable[[float], float], scale: float) -> tuple[float, float]:
    """The least value over gamma: a grid, then a line search around its best point. (bound, gamma)"""
    grid = scale * np.logspace(-6, 3, 91)
    at = int(np.argmin([bound(gamma) for gamma in grid]))
    low, high = math.log(grid[max(at - 1, 0)]), math.log(grid[min(at + 1, len(grid) - 1)])
    from scipy.optimize import minimize_scalar  # slow to import, and only diagnoses need it

    found = minimize_scalar(lambda t: bound(math.exp(t)), bounds=(low, high), method="bounded")
    gamma = min((float(grid[at]), math.exp(found.x)), key=bound)
    return bound(gamma), gamma


def _close(found: float, asked: float) -> bool:
    return math.isclose(found, asked, rel_tol=ROUNDING)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise UnsupportedError(f"{name} is {value:g}; the bound needs one above 0.")
