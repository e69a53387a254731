"""Learning chains of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.data.types import Corpus
from riata.errors import SettingError, UnsupportedError
from riata.features.compile import Features
from riata.features.frequency import FREQUENCY
from riata.learning.cost import tell_of_cost
from riata.learning.events import Listener
from riata.learning.loop import Trainer
from riata.learning.online import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.learning.unknown import leave_out_impossible, tell_of_unknown
from riata.models.feature_parts import row_width
from riata.models.structures.chain import ChainOutputs


class LearntChain(LearntStructure):
    def new_outputs(self) -> ChainOutputs:
        return ChainOutputs(self.labels.labels, self.labels.legality())

    def new_features(self, width: int) -> Features:
        options = self.options
        features = Features(options.templates(width), options.functions, options.word_lists(), options.bits or 0)
        _check_hashable(features, len(self.labels.labels))
        return features

    def check_goes_on(self) -> None:
        assert self.start is not None
        recipe = self.options.choice.recipe
        if self.start.local and not getattr(recipe.trainer, "local", False):
            raise SettingError(
                "the model that training goes on from is of the recipe 'memm': its scores are normalised step by step, and the recipe "
                f"{recipe.name!r} learns scores that add up.",
                remedy="Train anew (warm_start=False).",
            )

    def learner(self, features: Features) -> Trainer:
        recipe = self.options.choice.recipe
        if not recipe.searches:
            self.check_exact(features)
        if recipe.trainer is None:
            return self.one_by_one(features)
        labels, legality = self.labels.labels, self.labels.legality()
        whole: Trainer = recipe.trainer(features, labels, legality, self.options.settings, self.start)
        return whole

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        ids = label_ids(data, self.labels)
        tell_of_unknown(data, ids, tell)
        if self.options.settings.get("constrain"):
            leave_out_impossible(data, ids, self.labels.legality(), tell)
        instances.set_labels(ids, len(self.labels.labels), unknown=self.options.has_unknown)
        return TrainingSet(instances, weights, self.class_weights())

    def tell_of_data(self, features: Features, tokens: int, tell: Listener) -> None:
        tell_of_cost(features, len(self.labels.labels), tokens, self.options, tell)
        super().tell_of_data(features, tokens, tell)


def _check_hashable(features: Features, labels: int) -> None:
    if not features.bits:
        return
    pairs = labels * row_width(labels)
    if 2**features.bits < pairs:
        raise SettingError(
            f"bits is {features.bits}: a table of {2**features.bits:,} weights has no room for the pairs of {labels:,} labels.",
            remedy=f"Set bits to at least {(pairs - 1).bit_length()}.",
        )
    if any(name == FREQUENCY for name, _ in features.program.attributes):
        raise UnsupportedError(
            f"{FREQUENCY} needs counts of all words, and with bits no words are kept.",
            remedy=f"Leave out bits, or {FREQUENCY} from the template.",
        )


LEARNT = LearntChain
