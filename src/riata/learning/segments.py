"""Learning on labelled segments: by search, or from the exact best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import SegmentSearch, SegmentSearch64, SegmentWeights, SegmentWeights64
from riata.data.segmentation import Segmentation
from riata.errors import UnsupportedError
from riata.features.segments import SegmentFeatures
from riata.learning.diagnostics import Run
from riata.learning.flat import FlatTrainer
from riata.learning.online import TrainingSet
from riata.learning.search import SEARCH_SETTINGS
from riata.models.chain import Decoder
from riata.models.segments import SegmentModel


class SegmentTrainer(FlatTrainer):
    """With the queue `exact`, learns from the best segmentation, or from all of them."""

    features: SegmentFeatures
    single = SegmentWeights
    levelled = False  # a position can be reached by more or fewer segments

    def __init__(
        self,
        decoder: Decoder,
        features: SegmentFeatures,
        segmentation: Segmentation,
        settings: Mapping[str, Any],
        start: SegmentModel | None,
    ) -> None:
        defaults = {setting.name: setting.default for setting in SEARCH_SETTINGS}
        super().__init__(features, {**defaults, **settings, **vars(decoder)}, start)
        self.segmentation = segmentation

    @property
    def longest(self) -> int | None:
        """Tokens of a segment at most; None: not known yet."""
        if self._native is not None:
            return int(self._native.most)
        if self._start is not None:
            return int(self._start.most)
        return int(self.settings["longest"]) or None

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        refuse_class_weights(data)
        assert data.segments is not None
        if self._native is None:
            kind: Any = SegmentSearch if self._single else SegmentSearch64
            self._native = kind(self.features.native, self._initial(data.segments), self.settings)
        result: dict[str, Any] = self._native.epoch(
            self.features.index, data.instances, data.segments, order, data.sentence_weights, progress
        )
        return {**result, "wrong_tokens": None}

    def _initial(self, codes: NDArray[np.int32]) -> Any:
        if self._start is not None:
            return self._start
        kind: Any = SegmentWeights if self._single else SegmentWeights64
        longest = self.longest or self.segmentation.longest(codes)
        return kind(self.features.native, len(self.segmentation.types), self.segmentation.outside, longest)

    def model_of(self, weights: SegmentWeights | SegmentWeights64) -> SegmentModel:
        return SegmentModel(self.features, weights, self.segmentation)

    def account(self, examples: int, epochs: int) -> Run | None:
        return None if self.settings["queue"] == "exact" else super().account(examples, epochs)


def refuse_class_weights(data: TrainingSet) -> None:
    if len(data.class_weights):
        raise UnsupportedError(
            "Segments take no class weights: an update compares segments, not single tags.",
            remedy="Use sample_weight for sentences, or structure='chain'.",
        )
