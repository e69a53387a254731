"""Regularised Winnow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Winnow, Winnow64, step_scores
from riata.choosing.recipe import Recipe
from riata.data.types import Corpus, Ids
from riata.errors import UnsupportedError
from riata.features.compile import Features
from riata.learning.loop import EpochTrainer, TrainingSet
from riata.models.model import Model
from riata.settings import Setting
from riata.structures.chain.model import PRECISIONS

SMALLEST = 1e-9

SETTINGS = (
    Setting("mu", 0.05, "the prior: what both halves of every weight start from", low=SMALLEST, high=1e3),
    Setting("c", 1.0, "how much the errors of an example count beside the prior", low=SMALLEST, high=1e3),
    Setting("eta", 0.1, "the size of steps, which are never larger than Newton's", low=SMALLEST, high=1e3),
    Setting("shuffle", True, "visit the sentences of every epoch in a new order"),
    Setting("precision", "single", "arithmetic of the weights while learning", choices=("single", "double")),
)


class WinnowTrainer(EpochTrainer):
    local = False  # steps are not normalised by themselves

    def __init__(self, structure: Any, features: Features) -> None:
        """structure: a LearntStructure."""
        if structure.start is not None:
            raise UnsupportedError(
                "The recipe 'winnow' cannot go on from a model, which holds weights and not the variables of the examples behind them.",
                remedy="Train anew on all data.",
            )
        self.features, self.settings = features, structure.options.settings
        self._blank = Model.blank(features, structure.outputs, single=structure.single)
        self._native: Any = None  # created at the first epoch, when the features are complete

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        if self._native is None:
            kind: Any = Winnow if self._blank.single else Winnow64
            weights = (data.sentence_weights, data.class_weights)
            chosen = (float(self.settings[name]) for name in ("mu", "c", "eta"))
            self._native = kind(self._blank.weights, self.features.index, data.instances, *weights, *chosen)
        found: dict[str, Any] = self._native.run(order, progress)
        return found

    def model(self) -> Model:
        return self._blank.with_weights(self._native.model())


def step_confidences(model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.float64]:
    """What the paper takes for P(label | input, labels before), [N, labels], after given label ids: (score + 1) / 2, from 0 to 1.

    The classifiers do not know of each other, so the sum over the labels of a token need not be 1.
    """
    features, chain = model.features, model.weights_as(PRECISIONS)
    scores = step_scores(chain, features.index, features.instances(corpus), np.ascontiguousarray(labels, np.int32))
    return (np.clip(scores.reshape(-1, len(model.labels)), -1.0, 1.0) + 1.0) / 2


RECIPE = Recipe(
    name="winnow",
    summary="one classifier per label, with weights that are multiplied and drawn to a small prior; true labels before",
    paper="zhang2002",
    needs=frozenset({"argmax", "local sums"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    trainer=WinnowTrainer,
    epochs=20,
    whole=True,
    refuses={
        "seeds": "its objective has one optimum, which every seed comes near to",
        "shards": "every example has variables of its own, which are not mixed",
    },
)
