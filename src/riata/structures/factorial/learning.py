"""Learning tags and chunk labels that are scored in pairs (Sutton, Rohanimanesh & McCallum 2004)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import FactorialPotentials, FactorialPotentials64, Instances, most_combinations
from riata.data.encodings.base import Tags
from riata.data.types import Corpus
from riata.errors import DataError, RiataWarning, UnsupportedError
from riata.features.compile import Features
from riata.learning.batch.trainer import BatchProblem
from riata.learning.events import Listener, Note
from riata.learning.labels import LabelSet
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.model import Model
from riata.scoring.pairs import evaluate_pairs
from riata.structures.factorial.model import PRECISIONS, FactorialOutputs
from riata.structures.factorial.templates import FactorialFeatures
from riata.structures.joint.learning import LearntJoint, joint_outputs, tell_of_tags_and_chunks

SUMS = "sums"  # a setting of the structure


class LearntFactorial(LearntStructure):
    def new_outputs(self) -> FactorialOutputs:
        assert self.labels.tags is not None
        both = joint_outputs(self.labels.counts, self.labels.tags.learnt, "")
        if len(both.labels) > most_combinations:
            raise DataError(
                f"{len(both.tags):,} tags and {len(both.chunks):,} chunk labels have {len(both.labels):,} combinations; exact "
                f"inference keeps scores of all of them, up to {most_combinations:,}.",
                remedy="Use structure='joint', which searches, or fewer labels.",
            )
        return FactorialOutputs(both.tags, both.chunks, both.encoding)

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        return LearntJoint.label_set(data, tags, extra, fresh=fresh)

    def new_features(self, width: int) -> FactorialFeatures:
        options = self.options
        return FactorialFeatures(options.templates(width), options.functions, options.word_lists())

    def check(self) -> None:
        super().check()
        recipe, sums = self.options.choice.recipe, self.options.settings[SUMS]
        if sums != "exact" and "expectations" not in recipe.needs:
            raise UnsupportedError(
                f"setting {SUMS!r} has the value {sums!r}, but the recipe {recipe.name!r} learns from the best output and sums over none.",
                remedy=f"Leave out {SUMS}, or use the recipe crf.",
            )

    def problem(self, features: Features, *, per: str) -> FactorialProblem:
        return FactorialProblem(self, features)

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        sums = self.options.settings[SUMS]
        if sums != "exact":
            tell(
                Note(
                    f"{SUMS}={sums}: probabilities are approximate while learning, log Z is Bethe's; exact is the default."
                )
            )
        instances.set_labels(label_ids(data, self.labels), len(self.labels.labels))
        return TrainingSet(instances, weights, self.class_weights())

    def tell_of_data(self, features: Features, tokens: int, tell: Listener) -> None:
        tell_of_tags_and_chunks(self.labels.counts, tell)

    def score(self, dev: Corpus, predicted: Any, labels: tuple[str, ...]) -> float:
        return evaluate_pairs(dev.columns[-1], predicted, labels, dev.starts).score


class FactorialProblem(BatchProblem):
    """Tags and chunk labels of sentences, normalised over all combinations of both."""

    def __init__(self, structure: LearntFactorial, features: Features) -> None:
        super().__init__(features, structure.outputs, structure.options.settings, structure.start)
        if self.start is None:
            self.start = self._blank(single=structure.single)
        self._last: Any = None

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        kind: Any = FactorialPotentials if single else FactorialPotentials64
        like, settings = self._blank(single=single), self.settings
        self._last = kind(
            self.features.index, like, data.instances, self.settings["pairs"], settings["constrain"], settings[SUMS]
        )
        return self._last

    def _blank(self, *, single: bool) -> Any:
        return Model.blank(self.features, self.outputs, single=single).weights

    def model(self, weights: Any) -> Model:
        self._warn()
        made = Model.blank(self.features, self.outputs, single=self.settings["precision"] == "single")
        made.weights_as(PRECISIONS).fit_to(self.features.index)  # with the constraints of decoding
        made.weights.set_flat(weights.flat())
        return made

    def _warn(self) -> None:
        """Reports sentences whose approximate sums did not converge in the last evaluation."""
        if self._last is not None and self._last.unsettled:
            warnings.warn(
                f"{SUMS}={self.settings[SUMS]}: messages did not converge in {self._last.unsettled:,} sentences of the last evaluation. "
                f"{SUMS}=exact has no such limit.",
                RiataWarning,
                stacklevel=2,
            )


LEARNING = LearntFactorial
