"""Learning outputs that are sets of parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, PartPotentials, PartPotentials64, closest_outputs
from riata.data.encodings.base import Tags
from riata.data.types import Corpus, Ids
from riata.features.compile import Features
from riata.features.parts import PartFeatures
from riata.learning.batch.trainer import BatchProblem
from riata.learning.events import Listener, Note
from riata.learning.labels import LabelSet, counts_of
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure
from riata.models.model import Model
from riata.models.part_outputs import ABSENT, PRESENT, PartOutputs

SEVERAL = 0.01  # share of truths that are no outputs, from which on a warning is due


class LearntParts(LearntStructure):
    outputs_of: type[PartOutputs]

    def new_outputs(self) -> PartOutputs:
        return self.outputs_of(self.labels.labels)

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        return LabelSet((ABSENT, PRESENT), {ABSENT: 0, PRESENT: 0, **counts_of(data.columns[-1])}, None)

    def new_features(self, width: int) -> PartFeatures:
        return PartFeatures()

    def tell_of_data(self, features: Features, tokens: int, tell: Listener) -> None:
        tell(
            Note(
                f"{tokens:,} parts, of which {self.labels.counts[PRESENT]:,} are true; {len(features.given):,} features."
            )
        )

    def codes(self, data: Corpus) -> Ids:
        return self.labels.ids(data.columns[-1])

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        codes = self.codes(data)
        found = closest_outputs(instances, codes, len(self.labels.labels) - 1)
        other = [
            s
            for s, (low, high) in enumerate(zip(data.starts, data.starts[1:], strict=False))
            if (found[low:high] != codes[low:high]).any()
        ]
        if other:
            these = f"{len(other):,} of {len(data):,} true outputs (the first: number {other[0]})"
            text = f"{these} are no outputs of the structure: the closest are learnt."
            tell(Note(text, warning=len(other) > SEVERAL * len(data)))
        return TrainingSet(instances, weights, self.class_weights(), found)

    def check_single_weights(self, features: Features) -> None:
        """Every weight can be learnt by itself."""

    def problem(self, features: Features, *, per: str) -> PartProblem:
        return PartProblem(features, self.outputs, self.options.settings, self.start)

    def score(self, dev: Corpus, predicted: Any, labels: tuple[str, ...]) -> float:
        """F1 of parts, in per cent; 100 if there are none and none were found."""
        truth = self.codes(dev)
        right, found, all_true = (
            int(np.count_nonzero(x)) for x in ((predicted == truth) & (truth > 0), predicted, truth)
        )
        return 200 * right / (found + all_true) if found + all_true else 100.0


class PartProblem(BatchProblem):
    """Sets of parts, normalised over all outputs of an input."""

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        like = self._blank(single=single) if self.start is None else self.start
        kind: Any = PartPotentials if single else PartPotentials64
        return kind(self.features.index, like, data.instances, data.gold, self.settings["pairs"])

    def first_weights(self) -> Any:
        return self._blank(single=self.settings["precision"] == "single") if self.start is None else self.start

    def _blank(self, *, single: bool) -> Any:
        return Model.blank(self.features, self.outputs, single=single).weights
