"""From a corpus and options to a model: labels, features, the held-out part, training, and training again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.choosing.options import Options, check_only_chains
from riata.data.memory import as_corpus, inputs_of, joined
from riata.data.named_features import check_kind
from riata.data.pairs import paired, shown, unpaired
from riata.data.recoding import Tags
from riata.data.segmentation import Segmentation
from riata.data.types import Corpus, Ids
from riata.data.unknown import MARK, check_all_known, hidden, is_unknown
from riata.errors import DataError, LabelError, SettingError, UnsupportedError, shortened
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.frequency import FREQUENCY
from riata.features.joint import JointFeatures
from riata.features.segments import SegmentFeatures
from riata.learning.batch import prior
from riata.learning.batch.segments import segment_trainer
from riata.learning.cost import tell_of_cost
from riata.learning.development import check_dev, held_out, train_again
from riata.learning.events import Listener, Note
from riata.learning.joint import check_joint, joint_labels, learnt_pairs, new_features, tell_of_labels
from riata.learning.labels import (
    LabelSet,
    check_dev_labels,
    class_weights,
    counts_of,
    label_counts,
    label_set,
    learnable,
    legal,
)
from riata.learning.loop import Outcome, Plan, Trainer, train
from riata.learning.online import SentenceTrainer, TrainingSet, same_precision
from riata.learning.search import SearchTrainer
from riata.learning.seeds import SeedsTrainer
from riata.learning.segments import refuse_class_weights
from riata.learning.shards import ShardsTrainer
from riata.learning.unknown import leave_out_impossible, tell_of_unknown
from riata.models.chain import ChainModel, Legality, check_memory, exact_refusal, row_width
from riata.models.joint import JointLabels, JointModel
from riata.models.joint import check_memory as check_joint_memory
from riata.models.segments import SegmentModel
from riata.models.segments import check_memory as check_segment_memory
from riata.parallel import cores
from riata.scoring.evaluation import evaluate_column
from riata.scoring.pairs import evaluate_pairs


@dataclass(frozen=True, eq=False)
class Start:
    """A model that training goes on from, and how many epochs it has seen."""

    model: Any
    width: int  # input columns
    array_width: int | None  # columns of arrays of numbers, where it reads such
    epochs: int
    tags: Tags | None
    chosen: Mapping[str, float] = field(default_factory=dict)  # settings that its training left to held-out data


@dataclass(frozen=True, eq=False)
class Fit:
    """One training. Corpora hold their output as the last column, as it is learnt."""

    options: Options
    tags: Tags | None  # None: plain labels
    start: Start | None
    tell: Listener

    def run(self, data: Corpus, weights: NDArray[np.float64]) -> tuple[Outcome, LabelSet]:
        """Trains; with development data, keeps the best epoch and, if asked, trains again on everything."""
        check_dev(self.options)
        train_part, dev_part = self.split(data)
        if prior.is_open(self.options.settings):
            return self._settled(train_part, dev_part, weights, data)
        labels = self.labels(data)
        outcome = self._train(train_part, dev_part, weights[: len(train_part)], labels)
        if outcome.model is None or outcome.interrupted or dev_part is None or not self.options.refit:
            return outcome, labels
        return self.refit(outcome, lambda epochs: self._again(epochs, train_part, dev_part, weights))

    def _settled(
        self, train_part: Corpus, dev_part: Corpus | None, weights: NDArray[np.float64], data: Corpus
    ) -> tuple[Outcome, LabelSet]:
        """Trains with the prior that held-out sentences prefer, or that they preferred when the model to start from was trained."""
        c2 = None if self.start is None else self.start.chosen.get(prior.C2)
        if c2 is None:
            self.tell(Note("Choosing c2 on held-out sentences."))
            try:
                found = prior.choose(self, train_part, dev_part, weights)
            except KeyboardInterrupt:
                return Outcome(interrupted=True), self.labels(data)
            self.tell(found.note())
            c2 = found.c2
        settings = {**self.options.settings, prior.C2: c2}
        outcome, labels = replace(self, options=replace(self.options, settings=settings)).run(data, weights)
        return replace(outcome, chosen={prior.C2: c2}), labels

    def check(self, data: Corpus) -> None:
        """Raises what `run` would raise before it learns anything."""
        check_dev(self.options)
        self.split(data)
        labels = self.labels(data)
        self.trainer(data, labels)
        class_weights(self.options.class_weight, labels)

    def split(self, data: Corpus) -> tuple[Corpus, Corpus | None]:
        """The data to train on, and those that choose the epoch."""
        dev = self.options.dev
        if dev is None:
            return data, None
        if not isinstance(dev, (int, float)):
            dev_part = self.checked_dev(as_corpus(dev), data)
            check_dev_labels(dev_part, data, self.tell)
            return data, dev_part
        first = len(data) - held_out(len(data), float(dev), data.name, self.tell)
        check_all_known(data[first:])
        return data[:first], data[first:]

    def checked_dev(self, dev: Corpus, data: Corpus) -> Corpus:
        """Development data of their own, with the labels that are learnt; several outputs are one column of pairs,
        as in the training data.
        """
        expected = data.width + self.options.outputs - 1
        if dev.width != expected:
            raise DataError(
                f"the development data have {dev.width} columns, the training data {expected}.", file=dev.name
            )
        if data.given is not None:
            check_kind(dev.given, data.given.width, dev.name)
        if self.options.has_unknown:
            dev = hidden(dev, self.options.settings[MARK.name])
        check_all_known(dev)
        if self.tags is not None and self.tags.recoded:
            dev = learnable(dev, self.tags, strict=self.options.strict, listener=self.tell)
        elif self.tags is not None and self.options.strict:
            legal(dev, self.tags.data, strict=True, listener=self.tell)
        return paired(dev) if self.options.outputs > 1 else dev

    def labels(self, data: Corpus, extra: tuple[str, ...] = ()) -> LabelSet:
        if not self.options.is_joint:
            return self.known(label_set(data, self.tags, extra))
        assert self.tags is not None
        counts = {**dict.fromkeys(learnt_pairs(extra, self.tags), 0), **counts_of(data.columns[-1])}
        if self.start is not None:
            return self.known(LabelSet(tuple(counts), counts, self.tags))
        return LabelSet(joint_labels(counts, self.tags.learnt, data.name).pairs, counts, self.tags)

    def known(self, found: LabelSet) -> LabelSet:
        """These labels, or those of the model to start from, which must have them."""
        if self.start is None:
            return found
        self.check_same_tags(self.start.tags)
        known = self.start.model.labels
        unknown = sorted(set(found.labels) - set(known))
        if unknown:
            raise LabelError(
                f"label {shown(unknown[0])!r}{_note(self.tags)} is unknown to the model that training goes on "
                f"from; it has {', '.join(map(shown, known[:12]))}.",
                remedy="Train anew, or name all labels at the first partial_fit with classes=.",
            )
        return LabelSet(known, {label: found.counts.get(label, 0) for label in known}, found.tags)

    def check_same_tags(self, before: Tags | None) -> None:
        """Refuses to go on in another encoding than the model's, where either was told to learn in one of its own."""
        if before is None or self.tags is None or before.learnt.name == self.tags.learnt.name:
            return
        if before.recoded or self.tags.recoded:
            raise SettingError(
                f"the model that training goes on from learnt its chunks as {before.learnt.name.upper()}; these "
                f"would be learnt as {self.tags.learnt.name.upper()}.",
                remedy=f"Set learn_as to {before.learnt.name!r}, or train anew (warm_start=False).",
            )

    def trainer(self, data: Corpus, labels: LabelSet) -> Trainer:
        """A learner that has seen nothing yet, or what the model to start from has seen."""
        if self.options.has_segments:
            return self._segment_trainer(data, labels)
        if self.options.is_joint:
            return self._joint_trainer(data, labels)
        start = None
        if self.start is None:
            options = self.options
            features = Features(
                options.templates(data.width - 1), options.functions, options.word_lists(), options.bits or 0
            )
            _check_hashable(features, len(labels.labels))
        else:
            self._check_goes_on(data)
            start = self._start_of(ChainModel)
            self._check_linear(start)
            features = start.features.copy()
        parts = (features, labels.labels, labels.legality(), self.options.settings, start)
        members = [self._learner(*parts) for _ in range(self.options.seeds)]
        return self._of_seeds(members)

    def _of_seeds(self, members: Sequence[Trainer]) -> Trainer:
        for member in members:
            member.threads = (self.options.threads or cores()) if len(members) == 1 else 1  # the seeds have the threads
        return members[0] if len(members) == 1 else SeedsTrainer(members, self.options.threads)

    def _segment_trainer(self, data: Corpus, labels: LabelSet) -> Trainer:
        options = self.options
        check_only_chains(options)
        if self.start is None:
            start = None
            features = SegmentFeatures(options.templates(data.width - 1), options.functions, options.word_lists())
        else:
            self._check_goes_on(data)
            start = self._start_of(SegmentModel)
            features = start.features.copy()
        segmentation = self._segmentation(labels)
        if options.choice.recipe.whole:
            parts = (features, segmentation, options.settings, start)
            return self._of_seeds([segment_trainer(options.choice.recipe, *parts)])

        def blank(data: TrainingSet) -> SegmentModel:
            refuse_class_weights(data)
            assert data.gold is not None
            longest = options.settings["longest"] or segmentation.longest(data.gold)
            return SegmentModel.blank(features, segmentation, longest, single=self._single)

        return self._of_seeds([self._one_by_one(features, blank, start) for _ in range(options.seeds)])

    @property
    def _single(self) -> bool:
        return bool(self.options.settings["precision"] == "single")

    def _one_by_one(self, features: Any, blank: Callable[[TrainingSet], Any], start: Any) -> SentenceTrainer:
        """A learner that takes one sentence after another. blank: a model that has learnt nothing; start: one to go on from, or None."""
        recipe, settings = self.options.choice.recipe, self.options.settings
        first = None if start is None else same_precision(start, settings).with_weights(start.weights, features)

        def initial(data: TrainingSet) -> Any:
            return blank(data) if first is None else first

        if recipe.searches:
            return SearchTrainer(self.options.decoder, features, initial, settings, goes_on=first is not None)
        return SentenceTrainer(recipe.learner, features, initial, settings)

    def _joint_trainer(self, data: Corpus, labels: LabelSet) -> Trainer:
        options, start = self.options, None
        check_joint(options)
        parts = self._parts(labels)
        if self.start is None:
            features = new_features(options, data.width - 1, parts)
        else:
            self._check_goes_on(data)
            start = self._start_of(JointModel)
            features = start.features.copy()
        if features.ahead != options.settings["lookahead"]:
            raise SettingError(
                f"lookahead is {options.settings['lookahead']}, but the model that training goes on from has {features.ahead}.",
                remedy="Set it as it was, or train anew (warm_start=False).",
            )

        def blank(data: TrainingSet) -> JointModel:
            return JointModel.blank(features, parts, single=self._single)

        return self._of_seeds([self._one_by_one(features, blank, start) for _ in range(options.seeds)])

    def _parts(self, labels: LabelSet) -> JointLabels:
        """Of pairs, the tags and the chunk labels."""
        if self.start is not None:
            known: JointLabels = self._start_of(JointModel).parts
            return known
        assert self.tags is not None
        return joint_labels(labels.counts, self.tags.learnt, "")

    def _segmentation(self, labels: LabelSet) -> Segmentation:
        if self.start is not None:
            known: Segmentation = self.start.model.segmentation
            return known
        return Segmentation.of(labels.counts, None if labels.tags is None else labels.tags.learnt)

    def _start_of(self, kind: Any) -> Any:
        """The model to start from, which must be of the structure that is learnt."""
        assert self.start is not None
        if not isinstance(self.start.model, kind):
            raise SettingError(
                "training cannot go on from a model of another structure.",
                remedy="Set structure as it was, or train anew (warm_start=False).",
            )
        return self.start.model

    def _check_linear(self, start: ChainModel) -> None:
        if start.local and not getattr(self.options.choice.recipe.trainer, "local", False):
            raise SettingError(
                "the model that training goes on from is of the recipe 'memm': its scores are normalised step by step, and the recipe "
                f"{self.options.choice.recipe.name!r} learns scores that add up.",
                remedy="Train anew (warm_start=False).",
            )

    def _learner(
        self, features: Features, labels: tuple[str, ...], legality: Legality, settings: Mapping[str, Any], start: Any
    ) -> Trainer:
        recipe, shards = self.options.choice.recipe, self.options.shards

        def blank(data: TrainingSet) -> ChainModel:
            return ChainModel.blank(features, labels, legality, single=self._single)

        if recipe.searches:
            return self._one_by_one(features, blank, start)
        _check_exact(features, len(labels), recipe.name)
        if shards > 1 and features.program.order:
            raise UnsupportedError(
                f"shards is {shards}, but '{features.program.history_templates[0]}' reads earlier labels: "
                "shards would not know the same features.",
                remedy="Use edge for the label before, or shards=1.",
            )
        if recipe.trainer is not None:
            whole: Trainer = recipe.trainer(features, labels, legality, settings, start)
            return whole
        learners = [self._one_by_one(features, blank, start) for _ in range(shards)]
        threads = self.options.threads if self.options.seeds == 1 else 1  # the seeds have the threads
        return learners[0] if shards == 1 else ShardsTrainer(learners, threads)

    def _check_goes_on(self, data: Corpus) -> None:
        assert self.start is not None
        check_width(data, self.start.width, self.start.array_width)
        present = self.start.model.features.templates
        asked = self.options.template
        if asked is not None and set(self.options.templates(data.width - 1)) != set(present):
            raise SettingError(
                "training goes on with the templates of the model; template names others.",
                remedy="Leave out template, or train anew (warm_start=False).",
            )
        bits = self.start.model.features.bits
        if self.options.bits not in (None, bits):
            raise SettingError(
                f"bits is {self.options.bits}, but the model that training goes on from has {bits or 'exact dictionaries'}.",
                remedy="Leave out bits, or train anew (warm_start=False).",
            )
        if self.options.lists and self.options.word_lists() != self.start.model.features.lists:
            raise SettingError(
                "training goes on with the lists of the model; lists holds others.",
                remedy="Leave out lists, or train anew (warm_start=False).",
            )

    def learn_features(self, features: Features, data: Corpus) -> Instances:
        """Learns the features of the training data; returns the data with all of them looked up."""
        if isinstance(features, JointFeatures):
            features.count_tags(data)
        return features.extend(inputs_of(data), self.options.cutoff, self.options.threads or cores())

    def examples(
        self, instances: Instances, data: Corpus, weights: NDArray[np.float64], labels: LabelSet
    ) -> TrainingSet:
        if self.options.has_segments:
            segmentation = self._segmentation(labels)
            codes = segmentation.codes(labels.labels, label_ids(data, labels), data.starts)
            self._tell_of_long_segments(segmentation, codes)
            return TrainingSet(instances, weights, class_weights(self.options.class_weight, labels), codes)
        ids = label_ids(data, labels)
        tell_of_unknown(data, ids, self.tell)
        if self.options.settings.get("constrain"):
            leave_out_impossible(data, ids, labels.legality(), self.tell)
        instances.set_labels(ids, len(labels.labels), unknown=self.options.has_unknown)
        return TrainingSet(instances, weights, class_weights(self.options.class_weight, labels))

    def _tell_of_long_segments(self, segmentation: Segmentation, codes: Ids) -> None:
        """Those of the truth that no search can find."""
        longest = self.options.settings["longest"] if self.start is None else self.start.model.weights.most
        number = int((codes >= longest * len(segmentation.types)).sum()) if longest else 0
        if number:
            whole = self.options.choice.recipe.whole
            instead = "sentences with them are left out" if whole else "what comes closest is learnt instead"
            text = f"Segments of more than {longest} tokens: {number:,}. They cannot be found, and {instead}."
            self.tell(Note(text, warning=True))

    def _train(
        self, data: Corpus, dev: Corpus | None, weights: NDArray[np.float64], labels: LabelSet, again: int | None = None
    ) -> Outcome:
        """One training; `again` is the number of epochs of a second one, on all data."""
        trainer, examples = self.prepared(data, weights, labels)
        if self.options.is_chain and again is None:
            tell_of_cost(trainer.features, len(labels.labels), data.tokens, self.options, self.tell)
        if again is None:
            (tell_of_labels if self.options.is_joint else label_counts)(labels, self.tell)
        if self.options.settings.get("c1") == self.options.settings.get("c2") == 0 and again is None:
            text = "Without a prior (c1 and c2 are 0) the weights of data that can be told apart grow without bound."
            self.tell(Note(text, warning=True))
        plan = self.plan(again or self.options.epochs, refit=again is not None)
        score = None if dev is None else self.dev_score(trainer.features, dev)
        return train(trainer, examples, plan, score, self.tell)

    def prepared(self, data: Corpus, weights: NDArray[np.float64], labels: LabelSet) -> tuple[Trainer, TrainingSet]:
        """A learner that knows the features of the data, and the data as it takes them."""
        trainer = self.trainer(data, labels)
        instances = self.learn_features(trainer.features, data)
        self._check_memory(trainer.features, labels)
        self._tell_of_silent_functions(trainer.features, data)
        return trainer, self.examples(instances, data, weights, labels)

    def _check_memory(self, features: Features, labels: LabelSet) -> None:
        if isinstance(features, SegmentFeatures):
            check_segment_memory(features, len(self._segmentation(labels).types))
        elif isinstance(features, JointFeatures):
            check_joint_memory(features, self._parts(labels))
        else:
            check_memory(features, len(labels.labels), self.options.shards)

    def plan(self, epochs: int, *, refit: bool) -> Plan:
        return Plan(
            epochs=epochs,
            patience=self.options.patience,
            seed=self.options.seed,
            refit=refit,
            first_epoch=1 if self.start is None else self.start.epochs + 1,
        )

    def _tell_of_silent_functions(self, features: Features, data: Corpus) -> None:
        """A function of the user's own that never says anything has most likely lost its `return`."""
        for (name, column), alphabet in zip(features.program.attributes, features.alphabets, strict=True):
            if not features.bits and len(alphabet) == 0 and name in features.functions and name not in builtin():
                word = data.columns[column].alphabet.text(int(data.columns[column].ids[0]))
                text = f"The attribute {name!r} gave None for every word, such as {word!r}: templates that read it say nothing."
                self.tell(Note(shortened(text), warning=True))

    def dev_score(self, features: Features, dev: Corpus) -> Callable[[Any], float]:
        instances = features.instances(inputs_of(dev), self.options.threads or cores())

        def score(model: Any) -> float:
            predicted = model.decode(instances, self.options.decoder)
            if self.options.is_joint:
                return evaluate_pairs(dev.columns[-1], predicted, model.labels, dev.starts).score
            return evaluate_column(
                dev.columns[-1], predicted, model.labels, dev.starts, chunks=self.options.chunks
            ).score

        return score

    def refit(self, first: Outcome, again: Callable[[int], tuple[Outcome, LabelSet]]) -> tuple[Outcome, LabelSet]:
        """After a first training, a second one for the best number of epochs."""
        return train_again(first, 0 if self.start is None else self.start.epochs, self.tell, again)

    def _again(
        self, epochs: int, train_part: Corpus, dev_part: Corpus, weights: NDArray[np.float64]
    ) -> tuple[Outcome, LabelSet]:
        """Training on all data."""
        if self.tags is not None:
            pairs = self.options.outputs > 1
            apart = unpaired(dev_part) if pairs else dev_part
            apart = legal(apart, self.tags.learnt, strict=False, listener=self.tell)
            dev_part = paired(apart) if pairs else apart
        both = joined(train_part, dev_part)
        if len(weights) and len(weights) < len(both):
            weights = np.concatenate([weights, np.ones(len(both) - len(weights))])
        labels = self.labels(both)
        return self._train(both, None, weights, labels, again=epochs), labels


def _check_exact(features: Features, labels: int, recipe: str) -> None:
    refusal = exact_refusal(features, labels)
    if refusal is not None:
        reason, template = refusal
        error = UnsupportedError(
            f"the recipe {recipe!r} needs the exact argmax: {reason}.",
            remedy="Read fewer labels back, or use a recipe that searches, such as laso-perceptron.",
        )
        raise error if template.place is None else error.located(*template.place)


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


def _note(tags: Tags | None) -> str:
    return "" if tags is None else tags.note


def label_ids(data: Corpus, labels: LabelSet) -> NDArray[np.int32]:
    """[N]; -1 where the label is unknown. One that is none of `labels` is an error."""
    ids = labels.ids(data.columns[-1])
    foreign = (ids < 0) & ~is_unknown(data.columns[-1])
    if foreign.any():
        token = int(np.argmax(foreign))
        column = data.columns[-1]
        raise LabelError(
            f"label {shown(column.alphabet.text(int(column.ids[token])))!r}{_note(labels.tags)} is unknown; known: "
            f"{', '.join(map(shown, labels.labels[:12]))}.",
            remedy="Name all labels at the first partial_fit with classes=.",
            file=data.name,
            line=data.line_of(token),
        )
    return ids


def check_width(data: Corpus, width: int, array_width: int | None) -> None:
    if data.width - 1 != width:
        raise DataError(
            f"the data have {data.width - 1} input columns; the model that training goes on from reads {width}.",
            remedy="Give the columns of the first training, or train anew.",
            file=data.name,
        )
    if width == 0:
        check_kind(data.given, array_width, data.name)
