"""Batch learning on chains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from riata._core import (
    Alphabet,
    ChainPotentials,
    ChainPotentials64,
    SecondOrderPotentials,
    SecondOrderPotentials64,
    exact_order,
)
from riata.data.types import Ids
from riata.errors import RiataError, UnsupportedError
from riata.features.compile import Features
from riata.learning.batch.trainer import BatchTrainer
from riata.learning.online import TrainingSet, same_precision
from riata.models.legality import Legality
from riata.models.model import Model
from riata.models.structures.chain import ChainOutputs


@dataclass(frozen=True)
class ChainBatch:
    """Makes trainers of labellings that compete with all others of their sentence (a conditional random field), or of labels that
    compete with others after the true label before, as they do in search after any (local: a maximum entropy Markov model).

    loss: by its name in native/losses.
    """

    local: bool = False
    loss: str = "log"

    def __call__(self, *parts: Any) -> BatchTrainer:
        """parts: features, labels, legality, settings, and a model to start from or None."""
        problem = ChainProblem(*parts, local=self.local)
        return BatchTrainer(problem, problem.settings, self.loss)


class ChainProblem:
    """Labels of tokens, one or two labels back."""

    def __init__(
        self,
        features: Features,
        labels: tuple[str, ...],
        legality: Legality,
        settings: Mapping[str, Any],
        start: Model | None,
        *,
        local: bool,
    ) -> None:
        self.features, self.labels, self.legality, self.settings = features, labels, legality, settings
        self.local = local
        self._single = settings["precision"] == "single"
        self.outputs = ChainOutputs(labels, legality)
        blank = Model.blank(features, self.outputs, single=self._single)
        self._start = (blank if start is None else same_precision(start, settings)).weights
        if features.program.history:
            self._check_history()

    def _check_history(self) -> None:
        """Refuses templates that read earlier labels, where nothing here sums over them."""
        if self.local or self.features.program.order < exact_order:  # edges say the same, and in less time
            raise self._refusal(
                "the likelihood is summed over pairs of neighbouring labels",
                "Use edge for the label before (edge word[0] for label[-1] word[0]), or another recipe, such as perceptron.",
            )

    def _refusal(self, reason: str, remedy: str) -> RiataError:
        template = self.features.program.history_templates[0]
        error = UnsupportedError(f"'{template}' reads earlier labels as features; {reason}.", remedy=remedy)
        return error if template.place is None else error.located(*template.place)

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        kind: Any
        if self.features.program.history:
            kind = SecondOrderPotentials if single else SecondOrderPotentials64
            return kind(*self._parts(data), self._all_pairs)
        kind = ChainPotentials if single else ChainPotentials64
        return kind(*self._parts(data), self._all_pairs, self.local, heads(self.features.given))

    def first_weights(self) -> Any:
        return self._start

    def model(self, weights: Any) -> Model:
        return Model(self.features, weights.constrained(*self.legality.flags), self.outputs)

    def _parts(self, data: TrainingSet) -> tuple[Any, ...]:
        """What the core is told of the data and the labels."""
        legal = self.legality if self.local or self.settings["constrain"] else Legality.free(len(self.labels))
        return self.features.index, data.instances, len(self.labels), len(self.features.given), *legal.flags

    @property
    def _all_pairs(self) -> bool:
        return bool(self.settings["pairs"] == "all")


def heads(given: Alphabet) -> Ids:
    """Of named features, the number of what stands before the value, as in `word=the` and `-1:word:the`: a token mostly has one of each."""
    numbers: dict[str, int] = {}
    found = [
        numbers.setdefault(name[: max(name.rfind("="), name.rfind(":"), 0)] or name, len(numbers))
        for name in given.texts()
    ]
    return np.array(found, np.int32)
