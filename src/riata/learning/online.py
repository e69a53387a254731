"""Trainers that take one sentence after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, Rules
from riata._core import OnlineTrainer as Single
from riata._core import OnlineTrainer64 as Double
from riata.errors import SettingError
from riata.features.compile import Features
from riata.learning.loop import EpochTrainer
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
    gold: NDArray[np.int32] | None = (
        None  # [N] the true outputs as the structure numbers them; None: the labels of the instances
    )
    rules: Rules | None = None  # what the learner finds must keep them

    @property
    def sentences(self) -> int:
        return self.instances.sentences

    @property
    def tokens(self) -> int:
        return self.instances.tokens

    def epoch(
        self, trainer: EpochTrainer, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> Epoch:
        return trainer.epoch(self, seed, number, progress)


class SentenceTrainer(EpochTrainer):
    """A learner of the core, by name, on a model of any structure.

    initial: creates the model to start from, once the features are complete. settings: of the recipe and, if it searches, of the search.
    """

    def __init__(
        self, learner: str, features: Features, initial: Callable[[TrainingSet], Any], settings: Mapping[str, Any]
    ) -> None:
        self.features, self.settings = features, settings
        self._learner, self._initial = learner, initial
        self._start: Any = None  # the model that learning started from,
        self.native: Any = None  # and the native learner; both are created at the first epoch

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        if self.native is None:
            self._start = self._initial(data)
            kind: Any = Single if self._start.single else Double
            left_out = self.settings.get("truncate", 0.0)
            self.native = kind(self._learner, self._start.weights, dict(self.settings), left_out)
        weights = (data.sentence_weights, data.class_weights)
        found: dict[str, Any] = self.native.epoch(
            self.features.index, data.instances, data.gold, order, *weights, progress, data.rules
        )
        if found["updates"] == 0 and not self.settings["average"]:
            self.finished = "no sentence was wrong, so that nothing would change any more"
        return found

    def model(self) -> Any:
        weights = self.native.averaged() if self.settings["average"] else self.native.last()
        self.dropped = self.native.dropped
        return self._start.with_weights(weights)

    def keep(self) -> None:
        self.native.keep(self.settings["average"])
        self.dropped = self.native.dropped

    def kept(self) -> Any:
        return self._start.with_weights(self.native.kept())

    def final_model(self) -> Any:
        return self._finished(and_last=False)

    def _finished(self, *, and_last: bool) -> Any:
        """The model, in the memory of the learner. and_last: whether the last weights will be asked for, too."""
        if not self.settings["average"]:
            return self.model()
        weights = self.native.finish(and_last)
        self.dropped = self.native.dropped
        return self._start.with_weights(weights)


def same_precision(start: Any, settings: Mapping[str, Any]) -> Any:
    """A model to continue from, which must have the requested precision."""
    if (settings["precision"] == "single") != start.single:
        raise SettingError(
            f"precision is {settings['precision']!r}, but the model that training goes on from has another one.",
            remedy="Models from files have single precision; leave out precision, or train anew.",
        )
    return start
