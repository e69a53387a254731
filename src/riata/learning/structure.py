"""What training asks of a structure: its labels, features, learner, examples and score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata._core import Instances
from riata.choosing.losses import COSTS, for_core
from riata.choosing.options import Options
from riata.data.encodings.base import Tags
from riata.data.pairs import shown
from riata.data.types import Column, Corpus, inputs_of, is_unknown
from riata.errors import LabelError, UnsupportedError
from riata.features.compile import Features
from riata.inference.structure import SPACE
from riata.learning.batch.trainer import BatchProblem
from riata.learning.events import Listener
from riata.learning.labels import LabelSet, class_weights, counts_of, label_counts, label_set
from riata.learning.loop import EpochTrainer, SentenceTrainer, TrainingSet, same_precision
from riata.learning.margin.settings import never_goes_on
from riata.learning.members import ShardsTrainer
from riata.learning.search import SearchTrainer
from riata.models.model import Model
from riata.models.outputs import Outputs
from riata.models.parts import check_memory
from riata.parallel import cores
from riata.scoring.evaluation import evaluate_column


class LearntStructure(ABC):
    """One structure in one training, with the labels that are learnt and the model that training continues from (None: a new one)."""

    def __init__(self, options: Options, labels: LabelSet, start: Model | None) -> None:
        self.options, self.labels, self.start = options, labels, start
        self.outputs: Outputs = self.new_outputs() if start is None else start.outputs

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        """The labels of the output column and of `extra`. fresh: whether training starts without a model."""
        return label_set(data, tags, extra, fresh=fresh)

    @staticmethod
    def counted(column: Column) -> dict[str, int]:
        """How often each label occurs in an output column."""
        return counts_of(column)

    @staticmethod
    def check_outputs(data: Corpus) -> None:
        """Refuses outputs, the last columns, that the structure cannot be compared with. Most structures take all labels."""
        assert data.width

    @abstractmethod
    def new_outputs(self) -> Outputs:
        """The outputs of a new model with these labels."""

    @abstractmethod
    def new_features(self, width: int) -> Features:
        """Features for this number of input columns, before any data have been seen."""

    def check(self) -> None:
        """Refuses options that do not fit the labels, or the model to start from. Called before features are learnt."""
        self.class_weights()

    def learner(self, features: Features) -> EpochTrainer:
        """A new learner, or one that continues from the model to start from."""
        recipe = self.options.choice.recipe
        if not recipe.searches:
            self.check_exact(features)
        if recipe.trainer is None:
            return self.one_by_one(features)
        whole: EpochTrainer = recipe.trainer(self, features)
        return whole

    def sizes(self, data: TrainingSet) -> dict[str, int]:
        """Further sizes that the weights of a new model depend on."""
        return {}

    def problem(self, features: Features, *, per: str) -> BatchProblem:
        """What batch recipes ask of the structure. per: what probabilities are of, see Batch."""
        raise NotImplementedError  # for structures that do not offer sums

    def check_single_weights(self, features: Features) -> None:
        """Refuses templates whose weights cannot be learnt one at a time."""
        raise NotImplementedError  # for structures that do not offer single weights

    def one_by_one(self, features: Features) -> EpochTrainer:
        """A learner that takes one sentence after another; with shards, one per shard."""
        options = self.options
        learners = [self._one_by_one(features) for _ in range(options.shards)]
        threads = options.threads if options.seeds == 1 else 1  # if there are several seeds, these share the threads
        return learners[0] if options.shards == 1 else ShardsTrainer(learners, threads)

    def _one_by_one(self, features: Features) -> SentenceTrainer:
        recipe, settings, start = self.options.choice.recipe, self.options.settings, self.start
        first: Model | None = None
        if start is not None:
            if recipe.whole:
                raise never_goes_on(recipe.name)
            first = same_precision(start, settings).with_weights(start.weights, features)

        def initial(data: TrainingSet) -> Model:
            if first is not None:
                return first
            return Model.blank(features, self.outputs, single=self.single, **self.sizes(data))

        if recipe.searches:
            return SearchTrainer(self.options.decoder, features, initial, settings, goes_on=first is not None)
        if settings.get(COSTS):
            settings = for_core(settings, self.outputs.labels)
        return SentenceTrainer(recipe.learner, features, initial, settings)

    @property
    def single(self) -> bool:
        """Whether weights are stored in single precision."""
        return bool(self.options.settings["precision"] == "single")

    def counts_words(self, features: Features) -> bool:
        """Whether a dictionary of the labels of words is learnt, for which `count_words` must see all training data first."""
        return features.dictionary is not None and features.dictionary.least > 0

    def count_words(self, features: Features, data: Corpus) -> None:
        """Adds training data to the dictionary, if there is one. Called once for all data, before anything is learnt from them.

        Labels that are unknown are not counted.
        """
        if features.dictionary is not None:
            features.dictionary = features.dictionary.with_counts(data.columns[0], self.labels.ids(data.columns[-1]))

    def learn_features(self, features: Features, data: Corpus) -> Instances:
        """Learns the features of the training data; returns the data with all of them looked up."""
        return features.extend(inputs_of(data), self.options.cutoff, self.options.threads or cores())

    def check_exact(self, features: Features) -> None:
        """Refuses templates that exact search cannot use, if the recipe needs exact search."""
        refusal, choice = self.outputs.exact_refusal(features), self.options.choice
        if refusal is not None:
            searched = SPACE in choice.structure.offers
            instead = ", or use a recipe that searches, such as laso-perceptron" if searched else ""
            error = UnsupportedError(
                f"the recipe {choice.recipe.name!r} needs exact search: {refusal.reason}.",
                remedy=f"{refusal.remedy[0].upper()}{refusal.remedy[1:]}{instead}.",
            )
            place = None if refusal.template is None else refusal.template.place
            raise error if place is None else error.located(*place)

    def check_memory(self, features: Features) -> None:
        """Refuses weights that do not fit into memory."""
        what, need = self.outputs.memory(features)
        check_memory(what, need, self.options.shards)

    @abstractmethod
    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        """The data in the form that learners take. weights: by sentence."""

    def codes(self, data: Corpus) -> NDArray[np.int32]:
        """The true outputs as codes of the core."""
        return self.outputs.codes(label_ids(data, self.labels), data.starts)

    def class_weights(self) -> NDArray[np.float64]:
        """Class weights by label; empty if none are given."""
        return class_weights(self.options.class_weight, self.labels, self.outputs.labels)

    def tell_of_data(self, features: Features, tokens: int, tell: Listener) -> None:
        """Reports the labels, and the cost of learning them."""
        label_counts(self.labels, tell)

    def score(self, dev: Corpus, predicted: Any, labels: tuple[str, ...]) -> float:
        """The score of predicted labels of development data."""
        return evaluate_column(dev.columns[-1], predicted, labels, dev.starts, chunks=self.options.chunks).score


def learnt(name: str) -> type[LearntStructure]:
    """How the structure with this name is learnt, as defined in its file in `structures`."""
    found: type[LearntStructure] = registry.of_structure("learnt", name)
    return found


def label_ids(data: Corpus, labels: LabelSet) -> NDArray[np.int32]:
    """[N] ids of labels; -1 if a label is unknown. A label that is not in `labels` is an error."""
    ids = labels.ids(data.columns[-1])
    foreign = (ids < 0) & ~is_unknown(data.columns[-1])
    if foreign.any():
        token = int(np.argmax(foreign))
        column = data.columns[-1]
        note = "" if labels.tags is None else labels.tags.note
        raise LabelError(
            f"label {shown(column.alphabet.text(int(column.ids[token])))!r}{note} is unknown; known: "
            f"{', '.join(map(shown, labels.labels[:12]))}.",
            remedy="Name all labels at the first partial_fit with classes=.",
            file=data.name,
            line=data.line_of(token),
        )
    return ids
