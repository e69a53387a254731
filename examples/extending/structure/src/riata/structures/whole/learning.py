"""Learning one label for a whole sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.data.types import Corpus
from riata.features.compile import Features
from riata.learning.events import Listener
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.structures.whole.model import WholeOutputs


class LearntWhole(LearntStructure):
    def new_outputs(self) -> WholeOutputs:
        return WholeOutputs(self.labels.labels)

    def new_features(self, width: int) -> Features:
        options = self.options
        return Features(options.templates(width), options.functions, options.word_lists())

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        instances.set_labels(label_ids(data, self.labels), len(self.labels.labels))
        return TrainingSet(instances, weights, self.class_weights())


LEARNING = LearntWhole
