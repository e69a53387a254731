"""Averaged stochastic gradient descent, whose first step is found by trying it on a sample (Bottou 2010)."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from riata._core import dot, shuffled
from riata.errors import RiataWarning
from riata.learning.batch.lbfgs import Vector

SAMPLE = 1000  # number of sentences on which first steps are tried
SMALLEST, LARGEST = 1e-5, 1e3  # limits of the first step
CAUTION = 0.5  # part of the best step of the sample that is used, since all data are more than the sample
PERIOD, GAIN = 3, 1e-3  # stop if so many passes have gained less than this part of the objective
TRIED = 0  # number of the shuffle that draws the sample; numbers of passes start from 1


Value = Callable[[Vector], float]


@dataclass(frozen=True)
class Reached:
    """A point, and the value there."""

    x: Vector
    value: float


class StochasticMinimiser:
    """Passes over the sentences in random order, until they gain nothing more. It has the interface of Minimiser.

    native: the learner of the core; function: the value that it minimises, to report progress. It is computed after every pass, without
    its gradient, which nothing needs.
    """

    noisy = False  # its steps are always noisy, so this is not a reason to stop
    gradient_norm = None

    def __init__(self, native: Any, function: Value, start: Vector, *, c2: float, seed: int, sentences: int) -> None:
        self.evaluations = 0
        self.stopped: str | None = None
        self._native, self._function, self._seed, self._sentences = native, function, seed, sentences
        self._values: deque[float] = deque(maxlen=PERIOD + 1)
        self._passes = 0
        self.eta = self._first_step(start, c2)
        native.set(start)
        self.point = self._at(start)

    def step(self) -> None:
        """One pass. The mean of the weights is taken from the second pass on."""
        if self.stopped:
            return
        self._passes += 1
        self._native.epoch(shuffled(self._sentences, self._seed, self._passes), self.eta, self._passes > 1)
        self.evaluations += 1
        self.point = self._at(self._native.point())
        self._values.append(self.point.value)
        if len(self._values) > PERIOD and self._values[0] - self._values[-1] < GAIN * abs(self._values[-1]):
            self.stopped = f"{PERIOD} passes gained less than {GAIN:g} of the objective"

    def go_on(self, function: Value) -> None:
        """Reports progress with another function from now on."""
        self._function = function

    def finish(self) -> None:
        """Reports how many sentences were skipped."""
        if self._native.skipped:
            warnings.warn(
                f"stochastic gradient descent passed over {self._native.skipped} sentences in {self._passes} passes: their scores "
                "are too large for it. Scale feature values down to about 1, use a larger c2, or leave out optimiser=sgd.",
                RiataWarning,
                stacklevel=2,
            )

    def _at(self, x: Vector) -> Reached:
        return Reached(x, self._function(x))

    def _first_step(self, start: Vector, c2: float) -> float:
        """The step that leaves the smallest objective on a sample: it is doubled as long as that helps, or halved."""
        sample = shuffled(self._sentences, self._seed, TRIED)[:SAMPLE].copy()
        share = c2 * len(sample) / max(self._sentences, 1)

        def left(eta: float) -> float:
            self._native.set(start)
            self._native.epoch(sample, eta, False)
            x = self._native.point()
            value = self._native.epoch(sample, 0.0, False) + share * dot(x, x)
            return value if np.isfinite(value) else np.inf

        best, value = 0.1, left(0.1)
        for factor in (2.0, 0.5):
            while SMALLEST < best * factor < LARGEST and (other := left(best * factor)) < value:
                best, value = best * factor, other
        return CAUTION * best
