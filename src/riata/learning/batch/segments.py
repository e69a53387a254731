"""The conditional random field over segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riata._core import SegmentLikelihood, SegmentLikelihood64, SegmentWeights, SegmentWeights64
from riata.data.segmentation import Segmentation
from riata.errors import UnsupportedError
from riata.features.segments import SegmentFeatures
from riata.learning.batch.trainer import BatchTrainer
from riata.learning.flat import start_weights
from riata.learning.online import TrainingSet
from riata.learning.segments import refuse_class_weights
from riata.models.segments import SegmentModel


class SegmentCrfTrainer(BatchTrainer):
    """Its likelihood is that of true segmentations among all (Sarawagi & Cohen 2004)."""

    features: SegmentFeatures

    def __init__(
        self,
        recipe: str,
        features: SegmentFeatures,
        segmentation: Segmentation,
        settings: Mapping[str, Any],
        start: SegmentModel | None,
    ) -> None:
        beyond = [template for template in features.templates if not template.exact]
        if beyond:
            error = UnsupportedError(
                f"the recipe {recipe!r} sums over all segmentations, and '{beyond[0]}' reads further back than label[-1].",
                remedy="Leave out such lines, or use a recipe that searches, such as laso-alma.",
            )
            raise error if beyond[0].place is None else error.located(*beyond[0].place)
        self.features = features
        self.segmentation = segmentation
        self.settings = settings
        self._single = settings["precision"] == "single"
        self._start = None if start is None else start_weights(start, settings, SegmentWeights)

    def likelihood_of(self, data: TrainingSet) -> Any:
        refuse_class_weights(data)
        assert data.segments is not None
        if self._start is None:
            weights: Any = SegmentWeights if self._single else SegmentWeights64
            longest = self.settings["longest"] or self.segmentation.longest(data.segments)
            self._start = weights(
                self.features.native, len(self.segmentation.types), self.segmentation.outside, longest
            )
        kind: Any = SegmentLikelihood if self._single else SegmentLikelihood64
        return kind(
            self.features.index,
            self.features.native,
            self._start,
            data.instances,
            data.segments,
            data.sentence_weights,
            self.settings["pairs"] == "all",
        )

    def first_weights(self) -> Any:
        return self._start

    def model(self) -> SegmentModel:
        return SegmentModel(self.features, self.weights(), self.segmentation)
