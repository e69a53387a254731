"""Batch learning on labelled segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riata._core import SegmentPotentials, SegmentPotentials64
from riata.choosing.recipe import Recipe
from riata.data.segmentation import Segmentation
from riata.errors import UnsupportedError
from riata.features.segments import SegmentFeatures
from riata.learning.batch.chain import ChainBatch
from riata.learning.batch.trainer import BatchTrainer
from riata.learning.online import TrainingSet, same_precision
from riata.models.segments import SegmentModel


def segment_trainer(
    recipe: Recipe,
    features: SegmentFeatures,
    segmentation: Segmentation,
    settings: Mapping[str, Any],
    start: SegmentModel | None,
) -> BatchTrainer:
    """Of true segmentations among all (Sarawagi & Cohen 2004), with the loss that the recipe has on chains."""
    beyond = [template for template in features.templates if not template.exact]
    if beyond:
        error = UnsupportedError(
            f"the recipe {recipe.name!r} sums over all segmentations, and '{beyond[0]}' reads further back than label[-1].",
            remedy="Leave out such lines, or use a recipe that searches, such as laso-alma.",
        )
        raise error if beyond[0].place is None else error.located(*beyond[0].place)
    assert isinstance(recipe.trainer, ChainBatch)
    return BatchTrainer(SegmentProblem(features, segmentation, settings, start), settings, recipe.trainer.loss)


class SegmentProblem:
    """Segmentations of sentences."""

    def __init__(
        self,
        features: SegmentFeatures,
        segmentation: Segmentation,
        settings: Mapping[str, Any],
        start: SegmentModel | None,
    ) -> None:
        self.features, self.segmentation, self.settings = features, segmentation, settings
        self._start = None if start is None else same_precision(start, settings).weights

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        assert data.gold is not None
        if self._start is None:
            longest = self.settings["longest"] or self.segmentation.longest(data.gold)
            self._start = self._weights(longest, single=single)
        like = self._start if single else self._weights(self._start.most, single=False)
        kind: Any = SegmentPotentials if single else SegmentPotentials64
        index, pairs = self.features.index, self.settings["pairs"] == "all"
        return kind(index, like, data.instances, data.gold, pairs)

    def first_weights(self) -> Any:
        return self._start

    def model(self, weights: Any) -> SegmentModel:
        return SegmentModel(self.features, weights, self.segmentation)

    def _weights(self, longest: int, *, single: bool) -> Any:
        """Weights of these segments that know no feature."""
        return SegmentModel.blank(self.features, self.segmentation, longest, single=single).weights
