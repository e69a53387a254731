"""Learners that look at all sentences in every step: a prior, a likelihood with its gradient, and a minimiser."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from riata._core import (
    Alphabet,
    ChainLikelihood,
    ChainLikelihood64,
    ChainStochastic,
    ChainStochastic64,
    ChainWeights,
    SecondOrderLikelihood,
    SecondOrderLikelihood64,
    exact_order,
)
from riata.data.types import Ids
from riata.errors import DataError, RiataError, UnsupportedError
from riata.learning.batch.lbfgs import Function, Minimiser, Tolerance, Vector
from riata.learning.batch.sgd import StochasticMinimiser
from riata.learning.events import Epoch
from riata.learning.loop import Trainer
from riata.learning.online import OnlineTrainer, TrainingSet
from riata.models.chain import Flags, Legality
from riata.settings import Setting

AUTO = "auto"
IF_LBFGS = {"optimiser": ("lbfgs",)}  # what stochastic gradient descent does not have

SETTINGS = (  # of all
    Setting(
        "c1",
        0.0,
        "the weight of the sum of absolute weights (L1), which makes most weights zero",
        low=0.0,
        only=IF_LBFGS,
    ),
    Setting(
        "c2",
        AUTO,
        "the weight of the sum of squared weights (L2), 1 / (2 variance) of a Gaussian prior; auto: chosen on held-out sentences",
        low=0.0,
        words=(AUTO,),
    ),
    Setting(
        "pairs", "seen", "features have weights with the labels seen with them, or with all", choices=("seen", "all")
    ),
    Setting("memory", 6, "steps whose curvature L-BFGS remembers", low=1, high=1000, only=IF_LBFGS),
    Setting(
        "gradient_tolerance",
        1e-5,
        "L-BFGS stops at a gradient this small beside the weights",
        low=0.0,
        only=IF_LBFGS,
    ),
    Setting(
        "gain_tolerance",
        1e-5,
        "L-BFGS stops when ten steps gain less than this part of the objective",
        low=0.0,
        only=IF_LBFGS,
    ),
    Setting(
        "precision",
        "single",
        "arithmetic of scores and posteriors; chains go on in double where single is not enough",
        choices=("single", "double"),
    ),
)
OPTIMISER = Setting(
    "optimiser",
    "lbfgs",
    "L-BFGS (OWL-QN with c1), or averaged stochastic gradient descent",
    choices=("lbfgs", "sgd"),
    needs={"sgd": ("stochastic steps",)},
)
CONSTRAIN = Setting(
    "constrain", False, "while learning, sum over legal label sequences only", needs={True: ("legal sums",)}
)

REFUSES = {
    "seeds": "the minimum does not depend on a seed",
    "class_weight": "the likelihood is of whole sentences, which sample_weight weighs",
}


class BatchTrainer(Trainer):
    """A likelihood and a prior, made smaller step by step. An epoch is a step of the minimiser."""

    minimiser: Minimiser | StochasticMinimiser | None = None
    steady = True

    def likelihood_of(self, data: TrainingSet) -> Any:
        """-log P and its gradient, as a function of a point."""
        raise TypeError("a base class: use the trainer of a recipe")

    def finer_likelihood(self, data: TrainingSet) -> Any:
        """The same in double precision, for when single precision is not enough; None: there is none, or it is in use."""
        return None

    def first_weights(self) -> Any:
        """Where to start; asked after `likelihood_of`."""
        raise TypeError("a base class: use the trainer of a recipe")

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began = time.perf_counter()
        before = 0
        self._progress = progress
        if self.minimiser is None:
            self.minimiser = self._made(data, seed)
        else:
            before = self.minimiser.evaluations
        self.minimiser.step()
        if self.minimiser.noisy and (finer := self.finer_likelihood(data)) is not None:
            self.likelihood = finer
            self.minimiser.go_on(self._function(finer))
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

    def _made(self, data: TrainingSet, seed: int) -> Minimiser | StochasticMinimiser:
        self.likelihood = self.likelihood_of(data)
        start = self.likelihood.point(self.first_weights())
        made = self._minimiser(self._function(self.likelihood), start, data, seed)
        if not math.isfinite(made.point.value):
            raise DataError(
                "the likelihood of the training data is not finite: scores overflow.",
                remedy="Scale feature values down to about 1; the largest count most.",
            )
        return made

    def _function(self, likelihood: Any) -> Function:
        c2, threads = self.settings["c2"], self.threads

        def value(x: Vector) -> tuple[float, Vector]:
            found: tuple[float, Vector] = likelihood(x, threads, self._progress, c2)
            return found

        return value

    def go_on_with(self, c2: float) -> None:
        """Goes on from the present weights towards the minimum under another prior."""
        assert self.minimiser is not None
        self.settings = {**self.settings, "c2": c2}
        self.finished = None
        self.minimiser.go_on(self._function(self.likelihood))

    def _minimiser(
        self, value: Function, start: Vector, data: TrainingSet, seed: int
    ) -> Minimiser | StochasticMinimiser:
        settings = self.settings
        tolerance = Tolerance(settings["gradient_tolerance"], settings["gain_tolerance"])
        return Minimiser(value, start, l1=settings["c1"], memory=settings["memory"], tolerance=tolerance)

    def final_model(self) -> Any:
        assert self.minimiser is not None
        self.minimiser.finish()
        return self.model()

    def weights(self) -> Any:
        assert self.minimiser is not None
        return self.likelihood.model(self.minimiser.point.x)


class ChainTrainer(BatchTrainer, OnlineTrainer):
    """The likelihood of labels, on chains."""

    local = False  # whether every step is normalised by itself
    _finer = False  # whether it has gone on in double precision

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if self.features.program.history:
            self._check_history()

    def _check_history(self) -> None:
        """Refuses templates that read earlier labels, where nothing here sums over them."""
        raise self._refusal(
            "the likelihood is summed over pairs of neighbouring labels",
            "Use edge for the label before (edge word[0] for label[-1] word[0]), or another recipe, such as perceptron.",
        )

    def _refusal(self, reason: str, remedy: str) -> RiataError:
        template = self.features.program.history_templates[0]
        error = UnsupportedError(f"'{template}' reads earlier labels as features; {reason}.", remedy=remedy)
        return error if template.place is None else error.located(*template.place)

    def likelihood_of(self, data: TrainingSet) -> Any:
        return self._likelihood(ChainLikelihood if self._single else ChainLikelihood64, data)

    def _likelihood(self, kind: Any, data: TrainingSet) -> Any:
        return kind(*self._parts(data), self.local, heads(self.features.given))

    def finer_likelihood(self, data: TrainingSet) -> Any:
        if not self._single or self._finer or self.features.program.history:
            return None
        self._finer = True
        self.likelihood = None  # its memory can be used again
        return self._likelihood(ChainLikelihood64, data)

    def weights(self) -> Any:
        if not self._finer:
            return super().weights()
        assert self.minimiser is not None
        return self.likelihood.single_model(self.minimiser.point.x)

    def first_weights(self) -> Any:
        return self.initial

    @property
    def _single(self) -> bool:
        return isinstance(self.initial, ChainWeights)

    def _parts(self, data: TrainingSet) -> tuple[Any, ...]:
        """What the core is told of the data, the labels and the weights that there are."""
        labels = len(self.labels)
        flags = self.flags if self.constrained else _free(labels)
        given, pairs = len(self.features.given), self.settings["pairs"] == "all"
        return self.features.index, data.instances, labels, given, *flags, data.sentence_weights, pairs

    @property
    def constrained(self) -> bool:
        """Whether only legal labels are summed over."""
        return bool(self.settings["constrain"])


class CrfTrainer(ChainTrainer):
    """The conditional random field: labellings compete with all others of their sentence."""

    def _check_history(self) -> None:
        if self.features.program.order < exact_order:
            super()._check_history()  # edges say the same, and in less time
        if self.settings["optimiser"] == "sgd":
            raise self._refusal("stochastic gradient descent looks back one label", "Use optimiser=lbfgs.")

    def likelihood_of(self, data: TrainingSet) -> Any:
        if not self.features.program.history:
            return super().likelihood_of(data)
        kind: Any = SecondOrderLikelihood if self._single else SecondOrderLikelihood64
        return kind(*self._parts(data))

    def _minimiser(
        self, value: Function, start: Vector, data: TrainingSet, seed: int
    ) -> Minimiser | StochasticMinimiser:
        if self.settings["optimiser"] == "lbfgs":
            return super()._minimiser(value, start, data, seed)
        c2, sentences = self.settings["c2"], data.sentences
        kind: Any = ChainStochastic if self._single else ChainStochastic64
        native = kind(*self._parts(data), 2 * c2 / max(sentences, 1))
        return StochasticMinimiser(native, value, start, c2=c2, seed=seed, sentences=sentences)


class MemmTrainer(ChainTrainer):
    """The maximum entropy Markov model: labels compete with others after the true label before, as they do in search after any."""

    local = True
    constrained = True


def heads(given: Alphabet) -> Ids:
    """Of named features, the number of what stands before the value, as in `word=the` and `-1:word:the`: a token mostly has one of each."""
    numbers: dict[str, int] = {}
    found = [
        numbers.setdefault(name[: max(name.rfind("="), name.rfind(":"), 0)] or name, len(numbers))
        for name in given.texts()
    ]
    return np.array(found, np.int32)


def _free(labels: int) -> tuple[Flags, Flags, Flags]:
    legal = Legality.free(labels)
    return legal.start, legal.end, legal.follow
