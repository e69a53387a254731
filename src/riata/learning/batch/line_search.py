"""How far to go in a direction: until the value has fallen enough and the slope is flat enough (Wolfe), or within an orthant."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from riata._core import dot  # not the dot product of BLAS, whose threads would change the last bits

Vector = NDArray[np.float64]


def norm(a: Vector) -> float:
    return math.sqrt(dot(a, a))


ENOUGH = 1e-4  # part of the fall that the slope promises
FLAT = 0.9  # part of the slope at the start
MOST = 30  # largest number of points


@dataclass(frozen=True, eq=False)
class Point:
    x: Vector
    value: float  # with the L1 penalty
    gradient: Vector  # without the L1 penalty
    slope: Vector  # with the L1 penalty: its steepest subgradient (the gradient, if there is no penalty)

    @classmethod
    def of(cls, x: Vector, value: float, gradient: Vector, l1: float) -> Point:
        if not l1:
            return cls(x, value, gradient, gradient)
        return cls(x, value + l1 * float(np.abs(x).sum()), gradient, _pseudo(x, gradient, l1))

    def logarithm(self, scale: float) -> Point:
        """The logarithm of the value, with the penalty, times e^scale. A value of 0 is the least there is: it counts as the smallest number
        above it, and as flat.
        """
        if self.value == 0:
            flat = np.zeros_like(self.x)
            return Point(self.x, math.log(math.ulp(0.0)), flat, flat)
        if not 0 < self.value < math.inf:
            return replace(self, value=math.nan)
        slope = self.slope / self.value
        gradient = slope if self.gradient is self.slope else self.gradient / self.value
        return Point(self.x, scale + math.log(self.value), gradient, slope)

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.value))


def _pseudo(x: Vector, gradient: Vector, l1: float) -> Vector:
    """The slope with the penalty. At zero, where the penalty has a kink: the side that falls, if any does."""
    up, down = gradient + l1, gradient - l1
    at_zero = np.where(up < 0, up, np.where(down > 0, down, 0.0))
    return np.where(x > 0, up, np.where(x < 0, down, at_zero))


def along(at: Callable[[Vector], Point], start: Point, direction: Vector, first: float) -> Point | None:
    """Searches by doubling and halving; None if no step is found."""
    slope = dot(start.slope, direction)
    if not slope < 0:
        return None
    low, high, step = 0.0, np.inf, first
    best: Point | None = None
    for _ in range(MOST):
        x = step * direction
        x += start.x
        found = at(x)
        if not found.finite or found.value > start.value + ENOUGH * step * slope:
            high = step
        else:
            best = found  # it falls enough
            if dot(found.slope, direction) >= FLAT * slope:
                return found
            low = step
        step = (low + high) / 2 if np.isfinite(high) else 2 * step
        if high - low < 1e-14 * step:
            break
    return best


def projected(at: Callable[[Vector], Point], start: Point, direction: Vector, first: float) -> Point | None:
    """Searches within the orthant: a weight that would change its sign becomes zero."""
    orthant = np.where(start.x != 0, np.sign(start.x), -np.sign(start.slope))
    if not dot(start.slope, direction) < 0:
        return None
    step = first
    for _ in range(MOST):
        x = step * direction
        x += start.x
        x[x * orthant <= 0] = 0.0
        found = at(x)
        if found.finite and found.value <= start.value + ENOUGH * dot(start.slope, x - start.x):
            return found
        step /= 2
    return None
