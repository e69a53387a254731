"""Learning on labelled segments: by search, or from the exact best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import SegmentSearch, SegmentSearch64, SegmentWeights, SegmentWeights64
from riata.data.segmentation import Segmentation
from riata.errors import SettingError, UnsupportedError
from riata.features.segments import SegmentFeatures
from riata.learning.diagnostics import Run
from riata.learning.online import Trainer, TrainingSet
from riata.learning.search import SEARCH_SETTINGS
from riata.models.chain import Decoder
from riata.models.segments import SegmentModel


class SegmentTrainer(Trainer):
    """Takes one example after another; the search itself says what to learn from it. With the queue `exact`, the perceptron."""

    features: SegmentFeatures

    def __init__(
        self,
        decoder: Decoder,
        features: SegmentFeatures,
        segmentation: Segmentation,
        settings: Mapping[str, Any],
        start: SegmentModel | None,
    ) -> None:
        self.features = features
        self.segmentation = segmentation
        defaults = {setting.name: setting.default for setting in SEARCH_SETTINGS}
        self.settings = {**defaults, **settings, **vars(decoder)}
        self._start = None if start is None else start.weights
        self._single = settings["precision"] == "single"
        if start is not None and self._single != isinstance(start.weights, SegmentWeights):
            raise SettingError(
                f"precision is {settings['precision']!r}, but the model that training goes on from has another one.",
                remedy="Models from files have single precision; leave out precision, or train anew.",
            )
        self._native: Any = None  # made at the first epoch, when the features are complete

    @property
    def longest(self) -> int | None:
        """Tokens of a segment at most; None: not known yet."""
        if self._native is not None:
            return int(self._native.most)
        if self._start is not None:
            return self._start.most
        return int(self.settings["longest"]) or None

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        if len(data.class_weights):
            raise UnsupportedError(
                "Segments take no class weights: an update compares segments, not single tags.",
                remedy="Use sample_weight for sentences, or structure='chain'.",
            )
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

    def model(self) -> SegmentModel:
        weights = self._native.averaged() if self.settings["average"] else self._native.last()
        self.dropped = self._native.dropped
        return SegmentModel(self.features, weights, self.segmentation)

    def account(self, examples: int, epochs: int) -> Run | None:
        if self.settings["queue"] == "exact":
            return None
        last = SegmentModel(self.features, self._native.untruncated(), self.segmentation)
        return Run(
            last,
            self._native.stats(),
            self._native.recorded_margins(),
            self.settings,
            examples,
            epochs,
            from_zero=self._start is None,
            levelled=False,  # a position can be reached by more or fewer segments
        )

    def next_model(self, old: SegmentModel | None) -> SegmentModel:
        if old is None or not self.settings["average"]:
            return self.model()
        self._native.average_into(old.weights)
        self.dropped = self._native.dropped
        return old
