"""Learning labelled segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, SegmentPotentials, SegmentPotentials64
from riata.data.segmentation import Segmentation
from riata.data.types import Corpus, Ids
from riata.errors import DataError, SettingError, UnsupportedError
from riata.features.compile import Features
from riata.learning.batch.trainer import BatchProblem
from riata.learning.events import Listener, Note
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.model import Model
from riata.models.outputs import NO_CODES
from riata.structures.segments.model import PRECISIONS, SegmentOutputs
from riata.structures.segments.templates import SegmentFeatures


class LearntSegments(LearntStructure):
    def new_outputs(self) -> SegmentOutputs:
        tags = self.labels.tags
        return SegmentOutputs(Segmentation.of(self.labels.counts, None if tags is None else tags.learnt))

    @property
    def _segmentation(self) -> Segmentation:
        assert isinstance(self.outputs, SegmentOutputs)
        return self.outputs.segmentation

    def new_features(self, width: int) -> SegmentFeatures:
        options = self.options
        return SegmentFeatures(options.templates(width), options.functions, options.word_lists())

    def problem(self, features: Features, *, per: str) -> SegmentProblem:
        return SegmentProblem(self, features)

    def sizes(self, data: TrainingSet) -> dict[str, int]:
        assert data.gold is not None
        return {"longest": self.options.settings["longest"] or self._segmentation.longest(data.gold)}

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        ids, class_weights = label_ids(data, self.labels), self.class_weights()
        codes = self._segmentation.codes(self.labels.labels, ids, data.starts)
        self._tell_of_long_segments(data, codes, tell)
        if len(class_weights):  # a segment weighs as much as the true labels of its tokens
            instances.set_labels(ids, len(self.labels.labels))
        return TrainingSet(instances, weights, class_weights, codes)

    def check(self) -> None:
        super().check()
        longest = self.options.settings["longest"]
        if self._segmentation.encoding is None and longest > 1:
            raise UnsupportedError(
                f"setting 'longest' is {longest}, but the labels are plain: every token is a segment.",
                remedy="Leave out longest; chunks of several tokens are for Chunker and EntityRecognizer.",
            )
        if self.start is not None and longest not in (0, most := self.start.weights_as(PRECISIONS).most):
            raise SettingError(
                f"longest is {longest}, but the model that training goes on from has segments of at most {most} tokens.",
                remedy="Leave out longest, or train anew (warm_start=False).",
            )

    def _tell_of_long_segments(self, data: Corpus, codes: Ids, tell: Listener) -> None:
        """Reports true segments that are too long for any search to find."""
        longest = self.options.settings["longest"] if self.start is None else self.start.weights_as(PRECISIONS).most
        long = np.flatnonzero(codes >= longest * len(self._segmentation.types)) if longest else NO_CODES
        if not len(long):
            return
        whole = self.options.choice.recipe.whole
        remedy = "Leave longest out, or set it to more." if self.start is None else "Train anew with a higher longest."
        sentences = len(np.unique(np.searchsorted(data.starts, long, side="right")))
        if whole and sentences == np.count_nonzero(np.diff(data.starts)):
            raise DataError(f"every sentence has a segment of more than {longest} tokens.", remedy=remedy)
        instead = "sentences with them are left out" if whole else "what comes closest is learnt instead"
        text = f"Segments of more than {longest} tokens: {len(long):,}. They cannot be found, and {instead}."
        tell(Note(f"{text}\n  {remedy}", warning=True))


class SegmentProblem(BatchProblem):
    """Segmentations of sentences (Sarawagi & Cohen 2004)."""

    def __init__(self, structure: LearntSegments, features: Features) -> None:
        super().__init__(features, structure.outputs, structure.options.settings, structure.start)
        self._sizes = structure.sizes

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        if self.start is None:
            self.start = self._weights(self._sizes(data)["longest"], single=single)
        like = self.start if single else self._weights(self.start.most, single=False)
        kind: Any = SegmentPotentials if single else SegmentPotentials64
        return kind(self.features.index, like, data.instances, data.gold, self.settings["pairs"])

    def _weights(self, longest: int, *, single: bool) -> Any:
        """Weights of these segments, without features."""
        return Model.blank(self.features, self.outputs, single=single, longest=longest).weights


LEARNING = LearntSegments
