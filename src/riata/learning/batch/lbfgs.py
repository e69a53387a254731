"""Limited-memory quasi-Newton steps (Liu & Nocedal 1989), with an L1 penalty by orthants (OWL-QN; Andrew & Gao 2007)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from riata._core import add_scaled, dot

Vector = NDArray[np.float64]
# Value and gradient, without the L1 penalty. If there is a third number, both must be multiplied by e to its power, and the logarithm of
# the value with the penalty is minimised.
Function = Callable[[Vector], tuple[float, Vector] | tuple[float, Vector, float]]


@dataclass(frozen=True)
class Tolerance:
    """When to stop: if the gradient is this small relative to the weights, or `period` steps have gained less than this part."""

    gradient: float = 1e-5
    gain: float = 1e-5
    period: int = 10


TRIES = 6  # points of one line search; needing more, after the first steps, is a sign of noise


class Minimiser:
    """Takes one step after another, until `stopped` says why another step is not worth it."""

    noisy = False  # whether the last step was hard to find: the function may not be precise enough
    _is_logarithm = (
        False  # whether the logarithm of the function is minimised; a part of the function is a difference then
    )

    def __init__(
        self, function: Function, start: Vector, *, l1: float = 0.0, memory: int = 6, tolerance: Tolerance | None = None
    ) -> None:
        self.l1, self.memory, self.tolerance = l1, memory, tolerance or Tolerance()
        self.evaluations = 0
        self.stopped: str | None = None
        self._function = function
        # Steps, changes of the gradient, 1 / their dot product.
        self._pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=memory)
        self._values: deque[float] = deque(maxlen=self.tolerance.period + 1)
        self.point = self._at(start)
        self._values.append(self.point.value)
        self._check_gradient()

    @property
    def gradient_norm(self) -> float:
        return norm(self.point.slope)

    def step(self) -> None:
        """Takes one step, and finds out whether it was the last."""
        if self.stopped:
            return
        before = self.evaluations
        self._take()
        if self.evaluations - before > TRIES and len(self._values) > 2:
            self.noisy = True

    def _take(self) -> None:
        direction = self._direction()
        first = 1.0 if self._pairs else min(1.0, 1.0 / max(self.gradient_norm, 1e-300))
        found = self._search(direction, first)
        if found is None and self._pairs:  # the remembered curvature may mislead: try the steepest direction
            self._pairs.clear()
            found = self._search(-self.point.slope, min(1.0, 1.0 / max(self.gradient_norm, 1e-300)))
        if found is None:
            self.noisy = True
            self.stopped = "no step makes the objective smaller: the precision of its arithmetic is reached"
            return
        self._remember(found)
        self.point = found
        self._values.append(found.value)
        self._check_gradient()
        self._check_gain()

    def _at(self, x: Vector) -> LinePoint:
        value, gradient, *scale = self._function(x)
        self.evaluations += 1
        if not scale:
            return LinePoint.of(x, value, gradient, self.l1)
        self._is_logarithm = True
        return LinePoint.of(x, value, gradient, self.l1 * math.exp(-scale[0])).logarithm(scale[0])

    def _search(self, direction: Vector, first: float) -> LinePoint | None:
        if self.l1:
            return projected(self._at, self.point, direction, first)
        return along(self._at, self.point, direction, first)

    def _direction(self) -> Vector:
        """The two loops over the remembered curvature."""
        q = -self.point.slope
        shares = []
        for s, y, rho in reversed(self._pairs):
            a = rho * dot(s, q)
            shares.append(a)
            add_scaled(-a, y, q)
        if self._pairs:
            s, y, rho = self._pairs[-1]
            q *= 1 / (rho * dot(y, y))
        for (s, y, rho), a in zip(self._pairs, reversed(shares), strict=True):
            add_scaled(a - rho * dot(y, q), s, q)
        if self.l1:
            q[q * self.point.slope >= 0] = 0  # only downhill, coordinate by coordinate
        return q

    def go_on(self, function: Function) -> None:
        """Continues from here with a function that is nearly the same."""
        self._function, self.stopped, self.noisy = function, None, False
        self.point = self._at(self.point.x)
        self._values.clear()
        self._values.append(self.point.value)
        self._check_gradient()

    def finish(self) -> None:
        """Frees the memory that only another step would need."""
        self._pairs.clear()

    def _remember(self, new: LinePoint) -> None:
        if len(self._pairs) == self.memory:  # before another one is added
            self._pairs.popleft()
        s, y = new.x - self.point.x, new.gradient - self.point.gradient
        curvature = dot(s, y)
        if curvature > 1e-12 * norm(s) * norm(y):
            self._pairs.append((s, y, 1 / curvature))

    def _check_gradient(self) -> None:
        if self.gradient_norm <= self.tolerance.gradient * max(1.0, norm(self.point.x)):
            self.stopped = "converged: the gradient is as good as zero"

    def _check_gain(self) -> None:
        if self.stopped or len(self._values) <= self.tolerance.period:
            return
        before, now = self._values[0], self._values[-1]
        if before - now < (_fall(self.tolerance.gain) if self._is_logarithm else self.tolerance.gain * abs(now)):
            self.stopped = (
                f"converged: {self.tolerance.period} steps gained less than {self.tolerance.gain:g} of the objective"
            )


def _fall(part: float) -> float:
    """By how much the logarithm of a number falls when the number loses this part of itself."""
    return -math.log1p(-part) if part < 1 else math.inf


def norm(a: Vector) -> float:
    return math.sqrt(dot(a, a))


ENOUGH = 1e-4  # part of the fall that the slope promises
FLAT = 0.9  # part of the slope at the start
MOST = 30  # largest number of points


@dataclass(frozen=True, eq=False)
class LinePoint:
    x: Vector
    value: float  # with the L1 penalty
    gradient: Vector  # without the L1 penalty
    slope: Vector  # with the L1 penalty: its steepest subgradient (the gradient, if there is no penalty)

    @classmethod
    def of(cls, x: Vector, value: float, gradient: Vector, l1: float) -> LinePoint:
        if not l1:
            return cls(x, value, gradient, gradient)
        return cls(x, value + l1 * float(np.abs(x).sum()), gradient, _pseudo(x, gradient, l1))

    def logarithm(self, scale: float) -> LinePoint:
        """The logarithm of the value, with the penalty, times e^scale. A value of 0 is the least there is: it counts as the smallest number
        above it, and as flat.
        """
        if self.value == 0:
            flat = np.zeros_like(self.x)
            return LinePoint(self.x, math.log(math.ulp(0.0)), flat, flat)
        if not 0 < self.value < math.inf:
            return replace(self, value=math.nan)
        slope = self.slope / self.value
        gradient = slope if self.gradient is self.slope else self.gradient / self.value
        return LinePoint(self.x, scale + math.log(self.value), gradient, slope)

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.value))


def _pseudo(x: Vector, gradient: Vector, l1: float) -> Vector:
    """The slope with the penalty. At zero, where the penalty has a kink: the side that falls, if any does."""
    up, down = gradient + l1, gradient - l1
    at_zero = np.where(up < 0, up, np.where(down > 0, down, 0.0))
    return np.where(x > 0, up, np.where(x < 0, down, at_zero))


def along(at: Callable[[Vector], LinePoint], start: LinePoint, direction: Vector, first: float) -> LinePoint | None:
    """Searches by doubling and halving; None if no step is found."""
    slope = dot(start.slope, direction)
    if not slope < 0:
        return None
    low, high, step = 0.0, np.inf, first
    best: LinePoint | None = None
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


def projected(at: Callable[[Vector], LinePoint], start: LinePoint, direction: Vector, first: float) -> LinePoint | None:
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
