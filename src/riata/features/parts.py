"""Features of the parts of outputs, which users name."""

from __future__ import annotations

import numpy as np

from riata._core import Instances, set_outputs
from riata.data.types import Corpus
from riata.features.compile import Features

NO_COSTS = np.empty(0, np.float32)


class PartFeatures(Features):
    """The tokens of a corpus are places for parts; beside their features, a sentence knows which sets of parts are outputs."""

    def __init__(self) -> None:
        super().__init__((), {})

    def _empty_twin(self) -> PartFeatures:
        return PartFeatures()

    def _with_given(self, instances: Instances, corpus: Corpus, grow: bool) -> Instances:
        found = super()._with_given(instances, corpus, grow)
        set_outputs(found, list(corpus.output_sets), NO_COSTS if corpus.costs is None else corpus.costs)
        return found
