"""Trainers of chains that take one sentence after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import (
    ChainMira,
    ChainMira64,
    ChainPerceptron,
    ChainPerceptron64,
    ChainWeights,
    ChainWeights64,
    Instances,
)
from riata.errors import SettingError
from riata.features.compile import Features
from riata.learning.loop import Trainer
from riata.models.chain import ChainModel, Flags, Legality
from riata.settings import Setting

if TYPE_CHECKING:
    from riata.learning.events import Epoch

SETTINGS = (
    Setting("average", True, "average the weights over all examples seen (false: keep the last ones)"),
    Setting("shuffle", True, "visit the sentences of every epoch in a new order"),
    Setting("precision", "single", "arithmetic of the weights while learning", choices=("single", "double")),
)


@dataclass(frozen=True, eq=False)
class TrainingSet:
    instances: Instances
    sentence_weights: NDArray[np.float64]  # [S] or empty
    class_weights: NDArray[np.float64]  # [labels] or empty
    segments: NDArray[np.int32] | None = None  # [N] codes of the gold segments, where the model has such

    @property
    def sentences(self) -> int:
        return self.instances.sentences

    @property
    def tokens(self) -> int:
        return self.instances.tokens

    def epoch(self, trainer: Trainer, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        return trainer.epoch(self, seed, number, progress)


class OnlineTrainer(Trainer):
    """A learner on chains."""

    def __init__(
        self,
        features: Features,
        labels: tuple[str, ...],
        legality: Legality,
        settings: Mapping[str, Any],
        start: ChainModel | None,
    ) -> None:
        self.features = features
        self.labels = labels
        self.legality = legality
        self.settings = settings
        kind: Any = ChainWeights if settings["precision"] == "single" else ChainWeights64
        self.initial: Any = kind(len(labels)) if start is None else start.weights
        if not isinstance(self.initial, kind):
            raise SettingError(
                f"precision is {settings['precision']!r}, but the model that training goes on from has another one.",
                remedy="Models from files have single precision; leave out precision, or train anew.",
            )

    @property
    def flags(self) -> tuple[Flags, Flags, Flags]:
        return self.legality.start, self.legality.end, self.legality.follow

    def weights(self) -> Any:
        raise TypeError("a base class: use the trainer of a recipe")

    def model(self) -> ChainModel:
        return ChainModel(self.features, self.weights(), self.labels, self.legality)


class OutputTrainer(OnlineTrainer):
    """Compares whole outputs: the truth, and the best by exact search."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.native_learner = self.native(single=isinstance(self.initial, ChainWeights))

    def native(self, *, single: bool) -> Any:
        raise TypeError("a base class: use the trainer of a recipe")

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        result: dict[str, Any] = self.native_learner.epoch(
            self.features.index, data.instances, order, data.sentence_weights, data.class_weights, progress
        )
        return result

    def weights(self) -> Any:
        return self.native_learner.averaged() if self.settings["average"] else self.native_learner.last()

    def next_model(self, old: ChainModel | None) -> ChainModel:
        if old is None or not self.settings["average"]:
            return self.model()
        self.native_learner.average_into(old.weights)
        return old

    def final_model(self) -> ChainModel:
        weights = self.native_learner.finish() if self.settings["average"] else self.native_learner.last()
        return ChainModel(self.features, weights, self.labels, self.legality)


class PerceptronTrainer(OutputTrainer):
    def native(self, *, single: bool) -> Any:
        return (ChainPerceptron if single else ChainPerceptron64)(self.initial, *self.flags)


class MiraTrainer(OutputTrainer):
    def native(self, *, single: bool) -> Any:
        numbers = (self.settings["C"], self.settings["cost"], self.settings["k"])
        return (ChainMira if single else ChainMira64)(self.initial, *self.flags, *numbers)
