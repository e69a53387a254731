"""The loop of online learners: epochs, a development score after each, the best one kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import ChainPerceptron, ChainPerceptron64, ChainWeights, ChainWeights64, Instances, shuffled
from riata.features.compile import Features
from riata.learning.events import Epoch, Listener, Progressed, Started
from riata.models.chain import ChainModel, Legality
from riata.settings import Setting

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


@dataclass(frozen=True)
class Plan:
    """How long to train, and when to stop."""

    epochs: int
    patience: int | None = None  # stop after so many epochs without a better development score
    seed: int = 0
    refit: bool = False
    first_epoch: int = 1  # where a continued training goes on


@dataclass(eq=False)
class Outcome:
    """What training gave. `interrupted`: Ctrl-C came, and the model is that of the last good epoch (None: there was none)."""

    model: ChainModel | None = None
    best_epoch: int = 0
    best_score: float | None = None
    history: list[Epoch] = field(default_factory=list)
    interrupted: bool = False


class OnlineTrainer:
    """The perceptron over a growing set of features."""

    def __init__(
        self,
        features: Features,
        labels: tuple[str, ...],
        legality: Legality,
        settings: dict[str, Any],
        start: ChainModel | None,
    ) -> None:
        self.features = features
        self.labels = labels
        self.legality = legality
        self.settings = settings
        single = settings["precision"] == "single"
        initial: Any = start.weights if start is not None else (ChainWeights if single else ChainWeights64)(len(labels))
        native: Any = ChainPerceptron if isinstance(initial, ChainWeights) else ChainPerceptron64
        self._native = native(initial, legality.start, legality.end, legality.follow)

    def epoch(self, data: TrainingSet, seed: int, epoch: int, progress: Callable[[int], None]) -> dict[str, int]:
        sentences = data.instances.sentences
        order = shuffled(sentences, seed, epoch) if self.settings["shuffle"] else np.arange(sentences, dtype=np.int64)
        result: dict[str, int] = self._native.epoch(
            self.features.index, data.instances, order, data.sentence_weights, data.class_weights, progress
        )
        return result

    def model(self) -> ChainModel:
        weights = self._native.averaged() if self.settings["average"] else self._native.last()
        return ChainModel(self.features, weights, self.labels, self.legality)


def train(
    trainer: OnlineTrainer,
    data: TrainingSet,
    plan: Plan,
    dev_score: Callable[[ChainModel], float] | None,
    listener: Listener,
) -> Outcome:
    """Trains for the planned epochs; with a development score, keeps the best epoch, the earliest of equals."""
    outcome = Outcome()
    try:
        for epoch in range(plan.first_epoch, plan.first_epoch + plan.epochs):
            _one_epoch(trainer, data, plan, dev_score, listener, epoch, outcome)
            if plan.patience is not None and dev_score is not None and epoch - outcome.best_epoch >= plan.patience:
                break
    except KeyboardInterrupt:
        outcome.interrupted = True
    return outcome


def _one_epoch(
    trainer: OnlineTrainer,
    data: TrainingSet,
    plan: Plan,
    dev_score: Callable[[ChainModel], float] | None,
    listener: Listener,
    epoch: int,
    outcome: Outcome,
) -> None:
    listener(
        Started(epoch, plan.first_epoch + plan.epochs - 1, data.instances.sentences, data.instances.tokens, plan.refit)
    )
    began = time.perf_counter()
    result = trainer.epoch(data, plan.seed, epoch, lambda done: listener(Progressed(done)))
    seconds = time.perf_counter() - began
    score = None
    model = trainer.model()
    if dev_score is not None:
        score = dev_score(model)
    if score is None or outcome.best_score is None or score > outcome.best_score:
        outcome.model, outcome.best_epoch, outcome.best_score = model, epoch, score
    event = Epoch(
        epoch,
        result["updates"],
        result["sentences"],
        result["tokens"],
        result["wrong_tokens"],
        seconds,
        score,
        plan.refit,
    )
    outcome.history.append(event)
    listener(event)
