"""Learning chains of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import (
    Alphabet,
    ChainPotentials,
    ChainPotentials64,
    Instances,
    SecondOrderPotentials,
    SecondOrderPotentials64,
    exact_order,
)
from riata.choosing.options import Options
from riata.data.types import Corpus, Ids
from riata.errors import RiataError, SettingError, UnsupportedError
from riata.features.compile import Features
from riata.features.dictionary import TagDictionary
from riata.features.frequency import FREQUENCY
from riata.features.templates import CLASSIFIERS, PREVIOUS, is_by_label_before
from riata.inference.rules.legality import Legality
from riata.learning.batch.trainer import BatchProblem
from riata.learning.events import Listener, Note
from riata.learning.labels import LabelSet, leave_out_impossible, tell_of_unknown
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.model import Model
from riata.models.parts import ngram_sizes, row_width, weight_bytes
from riata.structures.chain.model import PRECISIONS, ChainOutputs
from riata.structures.chain.structure import ALIKE


class LearntChain(LearntStructure):
    def new_outputs(self) -> ChainOutputs:
        return ChainOutputs(self.labels.labels, self.labels.legality())

    def new_features(self, width: int) -> Features:
        options = self.options
        features = Features(options.templates(width), options.functions, options.word_lists(), options.bits or 0)
        _check_hashable(features, len(self.labels.labels))
        features.vectors = options.word_vectors
        features.dictionary = new_dictionary(options, self.labels, width)
        return features

    def check(self) -> None:
        super().check()
        check_goes_on(self.options, self.start)
        self._check_classifiers()
        recipe = self.options.choice.recipe
        local = recipe.trainer is not None and recipe.trainer.local
        if self.start is not None and self.start.local and not (local and self.start.weights_as(PRECISIONS).local):
            truncated = self.start.weights_as(PRECISIONS).truncated
            source = "'winnow': its scores are truncated" if truncated else "'memm': its scores are normalised"
            raise SettingError(
                f"the model that training goes on from is of the recipe {source} step by step, and the recipe "
                f"{recipe.name!r} does not go on from such scores.",
                remedy="Train anew (warm_start=False).",
            )

    def _check_classifiers(self) -> None:
        """Refuses to continue with another number of classifiers per label before."""
        if self.start is None or CLASSIFIERS not in self.options.settings:
            return
        asked = self.options.settings[CLASSIFIERS]
        if (asked == PREVIOUS) != is_by_label_before(self.start.features.templates):
            raise SettingError(
                f"{CLASSIFIERS} is {asked!r}, but the model that training goes on from has another value.",
                remedy="Set it as it was, or train anew (warm_start=False).",
            )

    def problem(self, features: Features, *, per: str) -> ChainProblem:
        return ChainProblem(self, features, per=per)

    def check_single_weights(self, features: Features) -> None:
        if features.program.history:
            raise history_refusal(
                features,
                "sums that are kept up to date weight by weight are over pairs of neighbouring labels",
                "Use edge for the label before (edge word[0] for label[-1] word[0]), or another recipe, such as crf.",
            )

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        ids = label_ids(data, self.labels)
        tell_of_unknown(data, ids, tell)
        if self.options.settings.get("constrain"):
            leave_out_impossible(data, ids, self.labels.legality(), tell)
        instances.set_labels(ids, len(self.labels.labels), unknown=self.options.has_unknown)
        return TrainingSet(instances, weights, self.class_weights())

    def tell_of_data(self, features: Features, tokens: int, tell: Listener) -> None:
        _tell_of_cost(features, len(self.labels.labels), tokens, self.options, tell)
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


class ChainProblem(BatchProblem):
    """Labels of tokens, for models that read one or two labels back."""

    def __init__(self, structure: LearntChain, features: Features, *, per: str) -> None:
        """per: what probabilities are of: an `output`, a `step` after the true label before, or a `label` over all outputs."""
        outputs = structure.new_outputs()  # even if the model to start from has other constraints
        super().__init__(features, outputs, structure.options.settings, structure.start)
        self._legality = outputs.legality
        if self.start is None:
            self.start = Model.blank(features, self.outputs, single=structure.single).weights
        self.local, self.by_label = per == "step", per == "label"
        if features.program.history:
            self._check_history()

    def _check_history(self) -> None:
        """Refuses templates that read earlier labels if the likelihood does not sum over them."""
        # Templates of the label before: edge templates express the same, and are faster.
        if self.local or self.by_label or self.features.program.order < exact_order:
            raise history_refusal(
                self.features,
                "the likelihood is summed over pairs of neighbouring labels",
                "Use edge for the label before (edge word[0] for label[-1] word[0]), or another recipe, such as perceptron.",
            )

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        kind: Any
        if self.features.program.history:
            kind = SecondOrderPotentials if single else SecondOrderPotentials64
            return kind(*self._parts(data), self.settings["pairs"])
        kind = ChainPotentials if single else ChainPotentials64
        return kind(*self._parts(data), self.settings["pairs"], self.local, self.by_label, heads(self.features.given))

    def model(self, weights: Any) -> Model:
        return super().model(weights.constrained(*self._legality))

    def _parts(self, data: TrainingSet) -> tuple[Any, ...]:
        """The arguments of the core that describe the data and the labels."""
        labels = len(self.outputs.labels)
        legal = self._legality if self.local or self.settings["constrain"] else Legality.free(labels)
        return self.features.index, data.instances, labels, len(self.features.given), *legal


def history_refusal(features: Features, reason: str, remedy: str) -> RiataError:
    """Why templates that read earlier labels cannot be learnt."""
    template = features.program.history_templates[0]
    error = UnsupportedError(f"'{template}' reads earlier labels as features; {reason}.", remedy=remedy)
    return error if template.place is None else error.located(*template.place)


def heads(given: Alphabet) -> Ids:
    """For each named feature, the number of the part of its name before the value, as in `word=the` and `-1:word:the`.

    Most tokens have at most one feature with each such part.
    """
    numbers: dict[str, int] = {}
    found = [
        numbers.setdefault(name[: max(name.rfind("="), name.rfind(":"), 0)] or name, len(numbers))
        for name in given.texts()
    ]
    return np.array(found, np.int32)


LEARNING = LearntChain


NAME = "dictionary"  # of the setting
OFTEN = 5  # where rare words are limited, too: how often a frequent word is seen


def new_dictionary(options: Options, labels: LabelSet, width: int) -> TagDictionary | None:
    """An empty dictionary for these labels; None if words may have all labels. width: number of input columns."""
    asked = options.settings[NAME]
    least = OFTEN if asked == ALIKE else int(asked)
    if least and width == len(options.added):
        raise UnsupportedError(
            f"setting {NAME!r} is {asked}, but the sentences are features already, and have no words to look up.",
            remedy=f"Give words, or leave out {NAME}.",
        )
    return TagDictionary(labels.labels, least, {}, alike=asked == ALIKE) if least else None


def check_goes_on(options: Options, start: Model | None) -> None:
    """Refuses to continue from a model with another dictionary: its weights were learnt with other rivals of the true labels."""
    if start is None:
        return
    dictionary = start.features.dictionary
    asked, present = (
        options.settings[NAME],
        0 if dictionary is None else ALIKE if dictionary.alike else dictionary.least,
    )
    if asked != present:
        raise SettingError(
            f"{NAME} is {asked}, but the model that training goes on from has {present}.",
            remedy="Set it as it was, or train anew (warm_start=False).",
        )


SECONDS_PER_PAIR = 2.5e-10  # time of one core to compare a label with a label before it
LONG = 60.0  # seconds of training from which on a warning is given
MUCH = 1 << 30  # bytes of weights from which on a warning is given
USUAL_EPOCHS = 10  # of recipes that may end earlier
COPIES = 2  # copies of the weights: the present weights, and their sums or gradients


def _tell_of_cost(features: Features, labels: int, tokens: int, options: Options, tell: Listener) -> None:
    """Warns if training takes minutes or gigabytes, with the estimate and a remedy."""
    seconds = 0.0
    if not options.choice.recipe.searches and "counts" not in options.choice.recipe.needs:
        seconds = SECONDS_PER_PAIR * tokens * float(labels) ** (1 + max(1, features.program.order))
    memory = COPIES * options.shards * weight_bytes(features, ngram_sizes(features), labels)
    if seconds * min(options.epochs, USUAL_EPOCHS) < LONG and memory < MUCH:
        return
    tell(
        Note(
            f"{labels:,} labels: every pass over the data takes about {_time(seconds)} of one core, and the "
            f"weights about {memory / 2**30:.1f} GiB. "
            "If the labels are words or lemmas, another column may be meant as the output. Fewer labels, a smaller "
            "template or a higher cutoff take "
            "less; recipes that search with a beam, such as laso-perceptron, do not compare all pairs of labels.",
            warning=True,
        )
    )


def _time(seconds: float) -> str:
    return f"{seconds:,.0f} seconds" if seconds < 100 else f"{seconds / 60:,.0f} minutes"
