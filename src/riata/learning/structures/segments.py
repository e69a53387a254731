"""Learning labelled segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, SegmentPotentials, SegmentPotentials64
from riata.data.segmentation import Segmentation
from riata.data.types import Corpus, Ids
from riata.features.segments import SegmentFeatures
from riata.learning.batch.trainer import Problem
from riata.learning.events import Listener, Note
from riata.learning.online import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.model import Model
from riata.models.structures.segments import SegmentOutputs


class LearntSegments(LearntStructure):
    def new_outputs(self) -> SegmentOutputs:
        tags = self.labels.tags
        return SegmentOutputs(Segmentation.of(self.labels.counts, None if tags is None else tags.learnt))

    @property
    def _segmentation(self) -> Segmentation:
        found: Segmentation = self.outputs.segmentation
        return found

    def new_features(self, width: int) -> SegmentFeatures:
        options = self.options
        return SegmentFeatures(options.templates(width), options.functions, options.word_lists())

    def problem(self, features: SegmentFeatures, *, local: bool) -> SegmentProblem:
        return SegmentProblem(self, features)

    def sizes(self, data: TrainingSet) -> dict[str, int]:
        assert data.gold is not None
        return {"longest": self.options.settings["longest"] or self._segmentation.longest(data.gold)}

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        ids, class_weights = label_ids(data, self.labels), self.class_weights()
        codes = self._segmentation.codes(self.labels.labels, ids, data.starts)
        self._tell_of_long_segments(codes, tell)
        if len(class_weights):
            instances.set_labels(
                ids, len(self.labels.labels)
            )  # a segment counts as much as the true labels of its tokens
        return TrainingSet(instances, weights, class_weights, codes)

    def _tell_of_long_segments(self, codes: Ids, tell: Listener) -> None:
        """Those of the truth that no search can find."""
        longest = self.options.settings["longest"] if self.start is None else self.start.weights.most
        number = int((codes >= longest * len(self._segmentation.types)).sum()) if longest else 0
        if number:
            whole = self.options.choice.recipe.whole
            instead = "sentences with them are left out" if whole else "what comes closest is learnt instead"
            text = f"Segments of more than {longest} tokens: {number:,}. They cannot be found, and {instead}."
            tell(Note(text, warning=True))


class SegmentProblem(Problem):
    """Segmentations of sentences (Sarawagi & Cohen 2004)."""

    def __init__(self, structure: LearntSegments, features: SegmentFeatures) -> None:
        super().__init__(features, structure.outputs, structure.options.settings, structure.start)
        self._sizes = structure.sizes

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        if self.start is None:
            self.start = self._weights(self._sizes(data)["longest"], single=single)
        like = self.start if single else self._weights(self.start.most, single=False)
        kind: Any = SegmentPotentials if single else SegmentPotentials64
        return kind(self.features.index, like, data.instances, data.gold, self.all_pairs)

    def _weights(self, longest: int, *, single: bool) -> Any:
        """Weights of these segments that know no feature."""
        return Model.blank(self.features, self.outputs, single=single, longest=longest).weights


LEARNT = LearntSegments
