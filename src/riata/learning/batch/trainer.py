"""Learners that look at all sentences in every step: a prior, a loss with its gradient, and a minimiser."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from riata._core import BatchObjective, is_exponential
from riata.errors import DataError
from riata.features.compile import Features
from riata.learning.batch.lbfgs import Minimiser, Tolerance, Vector
from riata.learning.batch.settings import PRIORS
from riata.learning.batch.sgd import StochasticMinimiser
from riata.learning.events import Epoch
from riata.learning.loop import EpochTrainer, TrainingSet, same_precision
from riata.models.model import Model
from riata.models.outputs import Outputs


class BatchProblem(ABC):
    """What a structure provides for a batch trainer. start: a model to start from, or None."""

    def __init__(self, features: Features, outputs: Outputs, settings: Mapping[str, Any], start: Model | None) -> None:
        self.features, self.outputs, self.settings = features, outputs, settings
        self.start: Any = None if start is None else same_precision(start, settings).weights

    @abstractmethod
    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        """The native scores of the structure's parts, in single or double precision. They also create the learner that takes one sentence
        after another (`stochastic`).
        """

    def first_weights(self) -> Any:
        """The weights to start from. Called after `potentials`."""
        return self.start

    def model(self, weights: Any) -> Model:
        """The model with these weights."""
        return Model(self.features, weights, self.outputs)


@dataclass(frozen=True)
class Batch:
    """Creates trainers of models that are normalised over all outputs of a sentence (a conditional random field) or, per step, over the
    labels that may follow the true label before (a maximum entropy Markov model).

    per: what the probabilities in the loss are of: `output`, `step` or, over all outputs, `label`. loss: by its name in native/losses.
    priors: what c2=auto tries.
    """

    per: str = "output"
    loss: str = "log"
    priors: tuple[float, ...] = PRIORS

    @property
    def local(self) -> bool:
        return self.per == "step"

    def __call__(self, structure: Any, features: Features) -> BatchTrainer:
        """structure: a LearntStructure."""
        problem = structure.problem(features, per=self.per)
        return BatchTrainer(problem, problem.settings, self.loss)


# Of L-BFGS with c2=0.003: 300 on chunks of CoNLL-2000, 655 on Spanish names; fewer with a stronger prior.
USUAL_STEPS = (250, 700)


class BatchTrainer(EpochTrainer):
    """Minimises a loss plus a prior. An epoch is one step of the minimiser."""

    minimiser: Minimiser | StochasticMinimiser | None = None
    steady = True

    def __init__(self, problem: BatchProblem, settings: Mapping[str, Any], loss: str = "log") -> None:
        """loss: by its name in native/losses."""
        self.problem, self.settings, self.loss = problem, settings, loss
        self.features = problem.features
        self.usual_steps = (0, 0) if settings.get("optimiser") == "sgd" else USUAL_STEPS
        self._single = settings["precision"] == "single"  # precision of models
        self._double = not self._single  # whether potentials are in double precision
        self._scores: deque[float] = deque(maxlen=settings.get("score_steps", 0))  # of the last steps

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began = time.perf_counter()
        before = 0
        self._progress = progress
        if self.minimiser is None:
            self.minimiser = self._made(data, seed)
        else:
            before = self.minimiser.evaluations
        self.minimiser.step()
        if self.minimiser.noisy and not self._double:
            self._double = True
            self._set_objective(data)
            self._go_on()
        self.finished = self.minimiser.stopped
        passes = self.minimiser.evaluations - before
        return Epoch(
            epoch=number,
            updates=passes,
            sentences=data.sentences,
            tokens=data.tokens * passes,
            wrong_tokens=None,
            seconds=time.perf_counter() - began,
            objective=self.minimiser.point.value,
            gradient_norm=self.minimiser.gradient_norm,
        )

    def heed(self, score: float) -> None:
        steps, tolerance = self._scores.maxlen, self.settings.get("score_tolerance", 0.0)
        self._scores.append(score)
        if steps and len(self._scores) == steps and max(self._scores) - min(self._scores) < tolerance:
            self.finished = f"converged: the scores of {steps} steps differ by less than {tolerance:g} points"

    def _made(self, data: TrainingSet, seed: int) -> Minimiser | StochasticMinimiser:
        self._set_objective(data)
        made = self._minimiser(self._potentials.point(self.problem.first_weights()), data, seed)
        if not math.isfinite(made.point.value):
            raise DataError(
                "the likelihood of the training data is not finite: scores overflow.",
                remedy="Scale feature values down to about 1; the largest count most.",
            )
        return made

    def _set_objective(self, data: TrainingSet) -> None:
        self._objective: Any = None
        self._potentials: Any = None  # so that their memory can be used again
        self._potentials = self.problem.potentials(data, single=not self._double)
        self._objective = BatchObjective(self._potentials, data.sentence_weights, self.loss)

    def _value(self, x: Vector) -> tuple[float, Vector] | tuple[float, Vector, float]:
        value, gradient = self._objective(x, self.threads, self._progress, self.settings["c2"])
        return (value, gradient, self._objective.scale) if is_exponential(self.loss) else (value, gradient)

    def _value_alone(self, x: Vector) -> float:
        value: float = self._objective.value(x, self.threads, self._progress, self.settings["c2"])
        return value

    def go_on_with(self, c2: float) -> None:
        """Continues from the present weights towards the minimum under another prior."""
        assert self.minimiser is not None
        self.settings = {**self.settings, "c2": c2}
        self.finished = None
        self._go_on()

    def _go_on(self) -> None:
        if isinstance(self.minimiser, StochasticMinimiser):
            self.minimiser.go_on(self._value_alone)
        elif self.minimiser is not None:
            self.minimiser.go_on(self._value)

    def _minimiser(self, start: Vector, data: TrainingSet, seed: int) -> Minimiser | StochasticMinimiser:
        settings = self.settings
        if settings.get("optimiser") == "sgd":
            c2, sentences = settings["c2"], data.sentences
            native = self._potentials.stochastic(data.sentence_weights, 2 * c2 / max(sentences, 1), self.loss)
            return StochasticMinimiser(native, self._value_alone, start, c2=c2, seed=seed, sentences=sentences)
        tolerance = Tolerance(settings["gradient_tolerance"], settings["gain_tolerance"], settings["gain_steps"])
        return Minimiser(self._value, start, l1=settings["c1"], memory=settings["memory"], tolerance=tolerance)

    def model(self) -> Any:
        assert self.minimiser is not None
        at = self.minimiser.point.x
        return self.problem.model(self._potentials.single_model(at) if self._single else self._potentials.model(at))

    def final_model(self) -> Any:
        assert self.minimiser is not None
        self.minimiser.finish()
        return self.model()
