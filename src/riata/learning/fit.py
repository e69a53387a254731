"""From a corpus and options to a model: labels, features, the held-out part, training, and training again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.choosing.options import Options
from riata.data.encodings.base import Tags
from riata.data.memory import as_corpus, joined
from riata.data.pairs import paired, shown, unpaired
from riata.data.types import MARK, Corpus, check_all_known, check_kind, hidden, inputs_of, is_unknown
from riata.errors import DataError, LabelError, SettingError, shortened
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.word_vectors import WordVectors
from riata.inference.kept import Kept
from riata.learning.batch import prior
from riata.learning.batch.settings import AUTO, SCORE_STEPS
from riata.learning.development import check_dev, parted, tell_of_overlap, train_again
from riata.learning.events import Listener, Note
from riata.learning.illegal_truth import IllegalTruth
from riata.learning.labels import LabelSet, check_dev_labels, learnable, legal
from riata.learning.loop import EpochPlan, EpochTrainer, Outcome, TrainingSet, train
from riata.learning.members import SeedsTrainer
from riata.learning.structure import LearntStructure, learnt
from riata.models.masked import no_mask
from riata.models.model import Model
from riata.parallel import cores


@dataclass(frozen=True, eq=False)
class Start:
    """A model from which training continues, and the number of epochs that it has seen."""

    model: Model
    width: int  # input columns
    array_width: int | None  # number of columns of arrays of numbers, if it reads arrays
    epochs: int
    tags: Tags | None
    # Values of settings that its training chose on held-out data.
    chosen: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Fit:
    """One training. The last column of its corpora is the output, in the form in which it is learnt."""

    options: Options
    tags: Tags | None  # None: plain labels
    start: Start | None
    tell: Listener

    def run(self, data: Corpus, weights: NDArray[np.float64]) -> tuple[Outcome, LabelSet]:
        """Trains; with development data, keeps the best epoch and, if asked for, trains again on all data."""
        if self.options.dev is None and (self.options.refit or self.options.patience is not None):
            check_dev(self.options)
        train_part, dev_part = self.split(data)
        if (name := _open_setting(self.options.settings)) is not None:
            return self._with_chosen_prior(name, train_part, dev_part, weights, data)
        labels = self.labels(data)
        outcome = self._train(train_part, dev_part, weights[: len(train_part)], labels)
        if outcome.model is None or outcome.interrupted or dev_part is None or not self.options.refit:
            return outcome, labels
        return self.refit(outcome, lambda epochs: self._again(epochs, train_part, dev_part, weights))

    def _with_chosen_prior(
        self, name: str, train_part: Corpus, dev_part: Corpus | None, weights: NDArray[np.float64], data: Corpus
    ) -> tuple[Outcome, LabelSet]:
        """Trains with the prior that held-out sentences prefer, or that they preferred when the model to start from was trained."""
        value = None if self.start is None else self.start.chosen.get(name)
        if value is None:
            self.tell(Note(f"Choosing {name} on held-out sentences."))
            try:
                found = prior.choose(self, name, train_part, dev_part, weights)
            except KeyboardInterrupt:
                return Outcome(interrupted=True), self.labels(data)
            self.tell(found.note())
            value = found.value
        settings = prior.with_prior(self.options.settings, name, value)
        outcome, labels = replace(self, options=replace(self.options, settings=settings)).run(data, weights)
        return replace(outcome, chosen={name: value}), labels

    def check(self, data: Corpus) -> None:
        """Raises the errors that `run` would raise before it learns anything."""
        check_dev(self.options)
        self.split(data)
        structure = self.structure(self.labels(data))
        self.trainer(data, structure)
        self.kept(structure)

    def split(self, data: Corpus) -> tuple[Corpus, Corpus | None]:
        """The data to train on, and the data that choose the epoch."""
        dev = self.options.dev
        if dev is None:
            return data, None
        if not isinstance(dev, (int, float)):
            dev_part = self.checked_dev(as_corpus(dev), data)
            kind = learnt(self.options.choice.structure.name)
            found, known = (kind.counted(part.columns[-1]) for part in (dev_part, data))
            check_dev_labels(dev_part, found, known, self.tell)
            tell_of_overlap(data, dev_part, self.tell)
            return data, dev_part
        train_part, dev_part = parted(data, float(dev), self.tell)
        check_all_known(dev_part)
        return train_part, dev_part

    def checked_dev(self, dev: Corpus, data: Corpus) -> Corpus:
        """Separate development data, with labels as they are learnt. Several outputs are one column of pairs, as in the training data."""
        expected = data.width + self.options.columns - 1
        if dev.width != expected:
            raise DataError(
                f"the development data have {dev.width} columns, the training data {expected}.", file=dev.name
            )
        check_kind(dev, data.array_width, words=not data.is_wordless)
        if self.options.has_unknown:
            dev = hidden(dev, self.options.settings[MARK.name])
        check_all_known(dev)
        if self.tags is not None and self.tags.recoded:
            dev = learnable(dev, self.tags, strict=self.options.strict, listener=self.tell)
        elif self.tags is not None and self.options.strict:
            legal(dev, self.tags.data, strict=True, listener=self.tell)
        learnt(self.options.choice.structure.name).check_outputs(dev)
        return paired(dev) if self.options.columns > 1 else dev

    def labels(self, data: Corpus, extra: tuple[str, ...] = ()) -> LabelSet:
        kind = learnt(self.options.choice.structure.name)
        return self.known(kind.label_set(data, self.tags, extra, fresh=self.start is None))

    def structure(self, labels: LabelSet) -> LearntStructure:
        """The structure that is learnt, with these labels."""
        kind = learnt(self.options.choice.structure.name)
        return kind(self.options, labels, None if self.start is None else self._start_of())

    def known(self, found: LabelSet) -> LabelSet:
        """These labels, or those of the model to start from, which must include them."""
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
        return replace(found, labels=known, counts={label: found.counts.get(label, 0) for label in known})

    def check_same_tags(self, before: Tags | None) -> None:
        """Refuses to continue in another encoding than that of the model, if either was told to learn in a particular encoding."""
        if before is None or self.tags is None or before.learnt.name == self.tags.learnt.name:
            return
        if before.recoded or self.tags.recoded:
            raise SettingError(
                f"the model that training goes on from learnt its chunks as {before.learnt.name.upper()}; these "
                f"would be learnt as {self.tags.learnt.name.upper()}.",
                remedy=f"Set learn_as to {before.learnt.name!r}, or train anew (warm_start=False).",
            )

    def trainer(self, data: Corpus, structure: LearntStructure) -> EpochTrainer:
        """A new learner, or one that continues from the model to start from."""
        if self.start is not None:
            self._check_goes_on(data)
        structure.check()
        features = structure.new_features(data.width - 1) if self.start is None else self.start.model.features.copy()
        return self._of_seeds([structure.learner(features) for _ in range(self.options.seeds)])

    def _of_seeds(self, members: Sequence[EpochTrainer]) -> EpochTrainer:
        for member in members:
            # If there are several seeds, these share the threads.
            member.threads = (self.options.threads or cores()) if len(members) == 1 else 1
        return members[0] if len(members) == 1 else SeedsTrainer(members, self.options.threads)

    def _start_of(self) -> Model:
        """The model to start from, which must have the structure that is learnt."""
        assert self.start is not None
        if self.start.model.structure != self.options.choice.structure.name:
            raise SettingError(
                "training cannot go on from a model of another structure.",
                remedy="Set structure as it was, or train anew (warm_start=False).",
            )
        return self.start.model

    def check_same_functions(self, features: Features) -> None:
        """Refuses to go on with other attributes than these features were learnt with."""
        asked, present = self.options.functions, features.functions
        other = [name for name in present if name in asked and asked[name] != present[name]]
        if other:
            raise SettingError(
                f"training goes on with the attributes of the model; attributes holds another function for {other[0]!r}.",
                remedy="Leave out attributes, or train anew (warm_start=False).",
            )

    def _check_goes_on(self, data: Corpus) -> None:
        assert self.start is not None
        check_width(data, self.start.width, self.start.array_width)
        self.check_same_functions(self.start.model.features)
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
        if self.options.vectors is not None and self.options.word_vectors != self.start.model.features.vectors:
            raise SettingError(
                "training goes on with the vectors of the model; vectors holds others.",
                remedy="Leave out vectors, or train anew (warm_start=False).",
            )

    def _train(
        self, data: Corpus, dev: Corpus | None, weights: NDArray[np.float64], labels: LabelSet, again: int | None = None
    ) -> Outcome:
        """One training. again: the number of epochs, if this is the second training, on all data."""
        structure = self.structure(labels)
        trainer, examples = self.prepared(data, weights, structure)
        if again is None:
            structure.tell_of_data(trainer.features, data.tokens, self.tell)
            self._tell_of_unread_columns(trainer.features, data)
            if trainer.features.vectors is not None:
                tell_of_coverage(data, trainer.features.vectors, self.tell)
            if note := self.options.choice.recipe.note:
                self.tell(Note(note))
        if self.options.settings.get("c1") == self.options.settings.get("c2") == 0 and again is None:
            text = "Without a prior (c1 and c2 are 0) the weights of data that can be told apart grow without bound."
            self.tell(Note(text, warning=True))
        plan = self.plan(again or self.options.epochs, refit=again is not None)
        score = None if dev is None else self.dev_score(structure, trainer.features, dev)
        own = None
        if dev is None and again is None and self.options.settings.get(SCORE_STEPS.name):
            if is_unknown(data.columns[-1]).any():
                raise SettingError(
                    "score_steps needs data with all labels.", remedy="Give dev, or leave out score_steps."
                )
            own = self.dev_score(structure, trainer.features, data)
        return train(trainer, examples, plan, score, self.tell, own)

    def prepared(
        self, data: Corpus, weights: NDArray[np.float64], structure: LearntStructure
    ) -> tuple[EpochTrainer, TrainingSet]:
        """A learner that knows the features of the data, and the data in the form that it takes."""
        trainer = self.trainer(data, structure)
        structure.count_words(trainer.features, data)
        instances = structure.learn_features(trainer.features, data)
        structure.check_memory(trainer.features)
        self._tell_of_silent_functions(trainer.features, data)
        return trainer, self.examples(instances, data, weights, structure)

    def examples(
        self, instances: Instances, data: Corpus, weights: NDArray[np.float64], structure: LearntStructure
    ) -> TrainingSet:
        """The data in the form that learners take, with the rules that they learn under."""
        examples = structure.examples(instances, data, weights, self.tell)
        kept = self.kept(structure)
        if kept is None:
            return examples
        rules = kept.on(inputs_of(data))
        illegal = IllegalTruth(kept, structure)
        illegal.add(data, rules)
        illegal.tell(self.tell)
        if self.options.constrained.during and rules.has_predicates:
            self.tell(Note("Functions in constraints are asked by predictions, not while learning.", warning=True))
        return replace(examples, rules=rules.native) if self.options.constrained.during else examples

    def plan(self, epochs: int, *, refit: bool) -> EpochPlan:
        return EpochPlan(
            epochs=epochs,
            patience=self.options.patience,
            seed=self.options.seed,
            refit=refit,
            first_epoch=1 if self.start is None else self.start.epochs + 1,
        )

    def _tell_of_unread_columns(self, features: Features, data: Corpus) -> None:
        read = {column for _, column in features.program.attributes}
        for column in self.options.unread(read, data.width - 1):
            source = f"template {self.options.template}" if self.options.template else "recipe's own template"
            text = f"The {source} does not read column {data.origins[column]}; a template of your own with x{column}[0] does."
            self.tell(Note(text))

    def _tell_of_silent_functions(self, features: Features, data: Corpus) -> None:
        """Warns of a user's own function that never returns a value: most likely its `return` is missing."""
        for (name, column), alphabet in zip(features.program.attributes, features.alphabets, strict=True):
            if not features.bits and len(alphabet) == 0 and name in features.functions and name not in builtin():
                word = data.columns[column].alphabet.text(int(data.columns[column].ids[0]))
                text = f"The attribute {name!r} gave None for every word, such as {word!r}: templates that read it say nothing."
                self.tell(Note(shortened(text), warning=True))

    def dev_score(self, structure: LearntStructure, features: Features, dev: Corpus) -> Callable[[Any], float]:
        inputs = inputs_of(dev)
        instances = features.instances(inputs, self.options.threads or cores())
        kept = self.kept(structure)

        return lambda model: structure.score(dev, self.dev_labels(model, inputs, kept, instances), model.labels)

    def dev_labels(self, model: Any, inputs: Corpus, kept: Kept | None, instances: Instances | None = None) -> Any:
        """The labels that development data get. kept: the constraints; None: there are none. instances: of the inputs, if they are made."""
        decoder = self.options.decoder
        if kept is not None and decoder.risk is not None:
            return model.predict(inputs, replace(decoder, kept=kept))
        labels = model.decode(model.features.instances(inputs) if instances is None else instances, decoder)
        return labels if kept is None else model.made_to_keep(inputs, labels, replace(decoder, kept=kept), lenient=True)

    def kept(self, structure: LearntStructure) -> Kept | None:
        """The constraints that outputs keep; None: there are none."""
        declared = self.options.constrained.declared
        if declared is None:
            return None
        names = structure.outputs.label_names(None if self.tags is None else self.tags.learnt)
        kept = Kept(declared, names, self.options.constrained.slots)
        if self.options.risk is not None and kept.masks.rest:
            # What depends on the input is found out when outputs are asked for.
            raise no_mask(
                kept, kept.masks.rest, f"decode={self.options.risk.decode!r} asks for probabilities over all outputs"
            )
        return kept

    def refit(self, first: Outcome, again: Callable[[int], tuple[Outcome, LabelSet]]) -> tuple[Outcome, LabelSet]:
        """After a first training, trains again for the best number of epochs."""
        return train_again(first, 0 if self.start is None else self.start.epochs, self.tell, again)

    def _again(
        self, epochs: int, train_part: Corpus, dev_part: Corpus, weights: NDArray[np.float64]
    ) -> tuple[Outcome, LabelSet]:
        """Trains on all data."""
        if self.tags is not None:
            pairs = self.options.columns > 1
            apart = unpaired(dev_part) if pairs else dev_part
            apart = legal(apart, self.tags.learnt, strict=False, listener=self.tell)
            dev_part = paired(apart) if pairs else apart
        both = joined(train_part, dev_part)
        if len(weights) and len(weights) < len(both):
            weights = np.concatenate([weights, np.ones(len(both) - len(weights))])
        labels = self.labels(both)
        return self._train(both, None, weights, labels, again=epochs), labels


def _open_setting(settings: Any) -> str | None:
    """The setting that is to be chosen; None if all have values."""
    return next((name for name in (prior.C2, prior.C) if settings.get(name) == AUTO), None)


def _note(tags: Tags | None) -> str:
    return "" if tags is None else tags.note


def check_width(data: Corpus, width: int, array_width: int | None) -> None:
    if data.width - 1 != width:
        raise DataError(
            f"the data have {data.width - 1} input columns; the model that training goes on from reads {width}.",
            remedy="Give the columns of the first training, or train anew.",
            file=data.name,
        )
    check_kind(data, array_width, words=width > 0)


MOST_LACKING = 0.5  # share of tokens without a vector, above which the words are likely to be written in another way


def tell_of_coverage(data: Corpus, vectors: WordVectors | None, listener: Listener) -> None:
    """Says how many tokens have no vector, and warns if most have none."""
    if vectors is None or not data.tokens:
        return
    column = data.columns[0]
    words = column.alphabet.texts()
    counts = np.bincount(column.ids, minlength=len(words))
    lacking = np.flatnonzero(~np.array(vectors.covers(words), bool) & (counts > 0))
    share = float(counts[lacking].sum() / data.tokens)
    common = ", ".join(repr(words[i]) for i in lacking[np.argsort(-counts[lacking], kind="stable")][:3])
    text = (
        f"{len(vectors):,} words have vectors of {vectors.width} numbers; {100 * share:.1f} % of the tokens have none"
    )
    listener(Note(shortened(f"{text} ({common})." if common else f"{text}."), warning=share > MOST_LACKING))
