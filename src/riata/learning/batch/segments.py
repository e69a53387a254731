"""Batch learning on labelled segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riata._core import SegmentPotentials, SegmentPotentials64
from riata.choosing.recipe import Recipe
from riata.features.segments import SegmentFeatures
from riata.learning.batch.chain import ChainBatch
from riata.learning.batch.trainer import BatchTrainer
from riata.learning.online import TrainingSet, same_precision
from riata.models.model import Model
from riata.models.structures.segments import SegmentOutputs


def segment_trainer(
    recipe: Recipe,
    features: SegmentFeatures,
    outputs: SegmentOutputs,
    settings: Mapping[str, Any],
    start: Model | None,
) -> BatchTrainer:
    """Of true segmentations among all (Sarawagi & Cohen 2004), with the loss that the recipe has on chains."""
    assert isinstance(recipe.trainer, ChainBatch)
    return BatchTrainer(SegmentProblem(features, outputs, settings, start), settings, recipe.trainer.loss)


class SegmentProblem:
    """Segmentations of sentences."""

    def __init__(
        self,
        features: SegmentFeatures,
        outputs: SegmentOutputs,
        settings: Mapping[str, Any],
        start: Model | None,
    ) -> None:
        self.features, self.outputs, self.settings = features, outputs, settings
        self._start = None if start is None else same_precision(start, settings).weights

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        assert data.gold is not None
        if self._start is None:
            longest = self.settings["longest"] or self.outputs.segmentation.longest(data.gold)
            self._start = self._weights(longest, single=single)
        like = self._start if single else self._weights(self._start.most, single=False)
        kind: Any = SegmentPotentials if single else SegmentPotentials64
        index, pairs = self.features.index, self.settings["pairs"] == "all"
        return kind(index, like, data.instances, data.gold, pairs)

    def first_weights(self) -> Any:
        return self._start

    def model(self, weights: Any) -> Model:
        return Model(self.features, weights, self.outputs)

    def _weights(self, longest: int, *, single: bool) -> Any:
        """Weights of these segments that know no feature."""
        return Model.blank(self.features, self.outputs, single=single, longest=longest).weights
