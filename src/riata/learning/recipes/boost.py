"""Sequence boosting."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from riata._core import Booster, Booster64
from riata.choosing.recipe import Recipe
from riata.features.compile import Features
from riata.learning.events import Epoch, Round
from riata.learning.loop import EpochTrainer, TrainingSet, same_precision
from riata.models.model import Model
from riata.settings import Setting

SMALLEST = 1e-9

SETTINGS = (
    Setting("rounds", 100, "rounds of an epoch; each changes one weight", low=1, high=10**9),
    Setting("cap", 1.0, "the largest change of a weight in a round", low=SMALLEST, high=1e3),
    Setting(
        "bound",
        "sentences",
        "the bound by which weights are chosen is over the sentences that have the feature, or over the corpus (the paper)",
        choices=("sentences", "corpus"),
    ),
    Setting("precision", "single", "of the weights and of posteriors that are kept", choices=("single", "double")),
)

REFUSES = {
    "seeds": "nothing in it is drawn at random",
    "shards": "its rounds follow each other, and a round chooses among the features of all sentences",
    "class_weight": "the loss is of whole sentences, which sample_weight weighs",
    "bits": "a round changes the weight of one feature, and hashed features share weights",
}


class BoostTrainer(EpochTrainer):
    """An epoch is a number of rounds."""

    local = False
    steady = True

    def __init__(self, structure: Any, features: Features) -> None:
        """structure: a LearntStructure."""
        structure.check_single_weights(features)
        self.features, self.settings = features, structure.options.settings
        start = structure.start
        if start is not None:
            self._start = same_precision(start, self.settings).with_weights(start.weights, features)
        else:
            self._start = Model.blank(features, structure.outputs, single=structure.single)
        self._native: Any = None  # created at the first epoch, when the features are complete

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began = time.perf_counter()
        rounds = self.settings["rounds"]

        def tell(done: int) -> None:
            if progress is not None:
                progress(data.sentences * done // rounds)

        if self._native is None:
            self._native = self._made(data)
        found = self._native.run(rounds, self.threads, tell)
        columns = (found[name].tolist() for name in ("steps", "bounds", "objectives", "sentences"))
        history = tuple(Round(*values) for values in zip(*columns, strict=True))
        if self._native.finished:
            self.finished = self._end()
        return Epoch(
            epoch=number,
            updates=len(history),
            sentences=data.sentences,
            tokens=int(found["tokens"].sum()),
            wrong_tokens=None,
            seconds=time.perf_counter() - began,
            objective=self._native.objective,
            weights=self._native.used,
            features=self._native.features,
            rounds=history,
        )

    def _made(self, data: TrainingSet) -> Any:
        kind: Any = Booster if self._start.single else Booster64
        over_corpus = self.settings["bound"] == "corpus"
        start = (self._start.weights, self.features.index, data.instances)
        return kind(*start, data.sentence_weights, over_corpus, float(self.settings["cap"]), data.gold)

    def _end(self) -> str:
        loss = self._native.objective
        return "no weight lowers the loss any further" if math.isfinite(loss) and loss > -10 else "the loss is 0"

    def model(self) -> Any:
        return self._start.with_weights(self._native.model())


RECIPE = Recipe(
    name="boost",
    summary="change one weight per round, for which a bound of the sum of 1 / P of the true labels falls most",
    paper="altun2003",
    needs=frozenset({"argmax", "single weights"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    trainer=BoostTrainer,
    epochs=100,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
    uncalibrated="boosting learns few data by heart, so its scores on them say nothing of those on many",
    earlier=lambda settings: False,
)
