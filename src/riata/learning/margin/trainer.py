"""Max-margin learners: a solver of the core, how good its weights are, and when they are good enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import MarginTrainer as Single
from riata._core import MarginTrainer64 as Double
from riata.choosing.losses import for_core
from riata.features.compile import Features
from riata.learning.loop import EpochTrainer, TrainingSet
from riata.learning.margin.settings import never_goes_on
from riata.models.model import Model

PERIOD = 10  # a certificate, which takes a pass of its own, is made after so many epochs at the latest


@dataclass(frozen=True)
class Margin:
    """Creates trainers of max-margin models. solvers: by the value of the setting `chosen_by`, or the only one."""

    solvers: Mapping[str, str] = field(hash=False)
    chosen_by: str = ""
    scales_slack: bool = False
    local = False

    def __call__(self, structure: Any, features: Features) -> MarginTrainer:
        """structure: a LearntStructure."""
        recipe, settings = structure.options.choice.recipe, structure.options.settings
        if structure.start is not None:
            raise never_goes_on(recipe.name)
        solver = self.solvers[settings.get(self.chosen_by, "")]
        asked = {**for_core(settings, structure.outputs.labels), "scales_slack": self.scales_slack}

        def initial(data: TrainingSet) -> Model:
            return Model.blank(features, structure.outputs, single=structure.single, **structure.sizes(data))

        return MarginTrainer(solver, features, initial, asked)


class MarginTrainer(EpochTrainer):
    """Minimises half the squared norm of the weights plus C times the hinge losses. An epoch is a pass over the sentences."""

    def __init__(
        self, solver: str, features: Features, initial: Callable[[TrainingSet], Model], settings: Mapping[str, Any]
    ) -> None:
        self.features, self.settings = features, settings
        self._solver, self._initial = solver, initial
        self._start: Any = None  # the model with weights of 0,
        self.native: Any = None  # and the native learner; both are created at the first epoch
        self._epochs, self._due = 0, 1  # passes so far, and the one after which the next certificate is made

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        if self.native is None:
            self._start = self._initial(data)
            kind: Any = Single if self._start.single else Double
            self.native = kind(self._solver, self._start.weights, dict(self.settings))
        given = (self.features.index, data.instances, data.gold)
        weights = (data.sentence_weights, data.class_weights)
        found = self.native.epoch(*given, order, *weights, progress)
        self._epochs += 1
        primal, dual = found["primal"], self.native.dual()
        certified = primal is None and self._epochs >= self._due
        if certified:
            primal, of_average = self.native.certify(*given, *weights, self._average, progress)
            # Every point of the dual problem gives a lower bound; that of the last weights is mostly the higher one.
            dual = None if dual is None else max(dual, of_average)
        gap = None if primal is None or dual is None else max(primal - dual, 0.0) / max(primal, 1e-300)
        if certified:
            self._due = self._next(gap)
        self._note_end(gap, done=found["finished"])
        counted = {"updates": found["updates"], "sentences": data.sentences, "tokens": data.tokens}
        return {**counted, "wrong_tokens": None, "objective": primal, "dual": dual, "gap": gap}

    def order(self, sentences: int, seed: int, number: int) -> NDArray[np.int64]:
        return super().order(sentences, seed, number) if "shuffle" in self.settings else np.arange(sentences)

    @property
    def _average(self) -> bool:
        return bool(self.settings.get("average", False))

    def _next(self, gap: float | None) -> int:
        """The pass of the next certificate: half-way to where a gap that shrinks as 1 / passes is small enough, if that is near."""
        asked = self.settings.get("gap")
        regular = (self._epochs // PERIOD + 1) * PERIOD
        if gap is None or not asked:
            return regular
        return min(self._epochs + max(int(self._epochs * (gap / asked - 1) / 2), 1), regular)

    def _note_end(self, gap: float | None, *, done: bool) -> None:
        asked, epsilon = self.settings.get("gap"), self.settings.get("epsilon")
        passes = f"after {self._epochs:,} pass{'es' if self._epochs > 1 else ''}"
        if asked is not None and gap is not None:
            self.short = (
                f"The gap is {100 * gap:.2g} % {passes}; {100 * asked:.2g} % was asked for. More epochs, a smaller C or a larger gap "
                "would do."
            )
        elif epsilon is not None:
            self.short = (
                f"Constraints are violated by more than epsilon ({epsilon:g}) {passes}. More epochs, a smaller C or a larger epsilon "
                "would do."
            )
        if done:
            self.finished = f"no constraint is violated by more than epsilon ({self.settings['epsilon']:g})"
        elif asked is not None and gap is not None and gap <= asked:
            self.finished = f"the objective is within {100 * gap:.2g} % of its minimum"

    def go_on_with(self, C: float) -> None:
        """Continues from the present weights towards the minimum under another C."""
        self.native.set_c(C)
        self.settings = {**self.settings, "C": C}
        self.finished = None

    def model(self) -> Any:
        return self._start.with_weights(self.native.averaged() if self._average else self.native.last())
