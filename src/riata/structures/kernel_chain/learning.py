"""Learning chains of labels whose tokens are scored by a kernel function."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, feature_vectors
from riata.data.types import Corpus
from riata.errors import UnsupportedError
from riata.features.compile import Features
from riata.inference.kernel_settings import ALL, AUTO, SMALLEST
from riata.learning.events import Listener
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.model import of_kind
from riata.models.user_kernel import UserKernel
from riata.parallel import cores
from riata.structures.chain.learning import new_dictionary
from riata.structures.kernel_chain.model import KernelOutputs
from riata.structures.kernel_chain.structure import check_of_tokens


class LearntKernelChain(LearntStructure):
    def new_outputs(self) -> KernelOutputs:
        settings = self.options.settings
        gamma, budget = settings["gamma"], settings["budget"]
        return KernelOutputs(
            self.labels.labels,
            self.labels.legality(),
            settings["kernel"],
            settings["degree"],
            1.0 if gamma == AUTO else gamma,
            settings["coefficient"],
            0 if budget == ALL else budget,
            self.options.threads or cores(),
        )

    def new_features(self, width: int) -> Features:
        templates = self.options.templates(width)
        check_of_tokens(templates)
        features = Features(templates, self.options.functions, self.options.word_lists())
        features.vectors = self.options.word_vectors
        features.dictionary = new_dictionary(self.options, self.labels, width)
        return features

    def check(self) -> None:
        super().check()
        options, recipe = self.options, self.options.choice.recipe
        if self.start is not None:
            raise UnsupportedError(
                "a model with a kernel does not go on from a model: its support tokens are tokens of the data that it learnt from.",
                remedy="Train anew on all data (fit, warm_start=False), or use the structure chain.",
            )
        for name, count in (("seeds", options.seeds), ("shards", options.shards)):
            if count > 1:
                raise UnsupportedError(
                    f"{name} is {count}, but models with a kernel are not added up: each has support tokens of its own.",
                    remedy=f"Leave out {name}, or use the structure chain.",
                )
        if (recipe.whole or recipe.searches) and options.settings["budget"] != ALL:
            why = (
                "its optimum rests on all tokens"
                if recipe.whole
                else "its steps compare states of a search, not whole outputs"
            )
            raise UnsupportedError(
                f"setting 'budget' is {options.settings['budget']}, which the recipe {recipe.name!r} does not keep: {why}.",
                remedy="Leave out budget, or use the recipe kernel-perceptron.",
            )

    def learn_features(self, features: Features, data: Corpus) -> Instances:
        """Also settles what of the kernel depends on the data."""
        instances = super().learn_features(features, data)
        settings, outputs = self.options.settings, of_kind(self.outputs, KernelOutputs)
        if callable(settings["kernel"]):
            kernel = UserKernel(settings["kernel"], data.array_width)
            kernel.check(features.index, instances)
            self.outputs = replace(outputs, kernel=kernel)
        elif settings["gamma"] == AUTO:
            mean = feature_vectors(features.index, instances, 0)[2]
            self.outputs = replace(outputs, gamma=1 / mean if mean > SMALLEST else 1.0)
        return instances

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        instances.set_labels(label_ids(data, self.labels), len(self.labels.labels))
        return TrainingSet(instances, weights, self.class_weights())


LEARNING = LearntKernelChain
