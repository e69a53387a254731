"""What the estimators of sequence labelling share: from a corpus to a model and back to labels."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata.data.memory import as_corpus, label_column, with_column
from riata.data.types import Column, Corpus, Ids
from riata.errors import DataError, LabelError, NotFittedError, RiataError, SettingError, UnsupportedError
from riata.features import templates as template_language
from riata.features.attributes import Attribute, builtin
from riata.features.compile import Features
from riata.features.templates import NUMBER, Template
from riata.learning.events import Event, Listener, Note
from riata.learning.labels import LabelSet, chunk_encoding, class_weights, label_set, legal, rare_labels
from riata.learning.online import OnlineTrainer, Outcome, Plan, TrainingSet, train
from riata.learning.recipe import chosen
from riata.models.chain import ChainModel
from riata.params import Params
from riata.scoring.evaluation import Evaluation, evaluate
from riata.settings import Setting, resolve

Estimator = TypeVar("Estimator", bound="SequenceEstimator")

EPOCHS = Setting("epochs", 10, "passes over the data", low=1)
CUTOFF = Setting("cutoff", 1, "leave out n-grams seen less often", low=1)
SEED = Setting("seed", 0, "of the order in which sentences are visited", low=0, high=2**63 - 1)
PATIENCE = Setting("patience", 5, "epochs without a better development score before training stops", low=1)


class RiataWarning(UserWarning):
    """Something about the data or the training that a user should know."""


PARAMETERS = """recipe: the learner; structure, queue, beam: what it searches, and how (None: what the recipe prefers).
template: a named set, a file, or templates (None: the task's own). attributes: your own functions of a word, by name.
cutoff: n-grams seen less often are left out. epochs, seed, settings: of the learner.
dev: a corpus, or the fraction of the training data (its end) held out to choose the epoch; patience: stop after so
many epochs without a better score; refit: then train again on all data for that many epochs.
class_weight: by label, or "balanced". encoding: of chunk tags ("auto" finds it); strict: refuse illegal tags instead
of reading them as conlleval does. warm_start: go on from the present model when fit is called again.
"""


@dataclass(frozen=True)
class Task:
    """A task by name, and the estimator that does it."""

    name: str
    summary: str
    estimator: type[SequenceEstimator]


class SequenceEstimator(Params):
    __doc__ = (
        f"""One label per token. Subclasses say what the labels are and which template is theirs.\n\n{PARAMETERS}"""
    )

    task_name: str
    chunks: bool
    default_template: str

    def __init__(
        self,
        recipe: str = "perceptron",
        *,
        structure: str | None = None,
        queue: str | None = None,
        beam: int | None = None,
        template: str | Path | Sequence[Template] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        cutoff: int = 1,
        epochs: int = 10,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        dev: float | Corpus | None = None,
        patience: int | None = None,
        refit: bool = False,
        class_weight: Mapping[str, float] | str | None = None,
        encoding: str = "auto",
        strict: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.recipe = recipe
        self.structure = structure
        self.queue = queue
        self.beam = beam
        self.template = template
        self.attributes = attributes
        self.cutoff = cutoff
        self.epochs = epochs
        self.seed = seed
        self.settings = settings
        self.dev = dev
        self.patience = patience
        self.refit = refit
        self.class_weight = class_weight
        self.encoding = encoding
        self.strict = strict
        self.warm_start = warm_start

    # --- learning -----------------------------------------------------------------------------------------------

    def fit(
        self: Estimator, X: Any, y: Any = None, *, sample_weight: Any = None, listener: Listener | None = None
    ) -> Estimator:
        """Learns from a Corpus (its last column is the output), or from sentences and their labels.

        Ctrl-C keeps the model of the last good epoch and raises KeyboardInterrupt.
        """
        tell = _warn if listener is None else listener
        began = time.perf_counter()
        settings = self._check_params()
        data, weights = self._training_data(X, y, sample_weight, tell)
        train_part, dev_part = self._split(data, tell)
        self.__dict__.pop("_trainer", None)  # partial_fit goes on from this training
        start = self.model_ if self.warm_start and hasattr(self, "model_") else None
        labels = self._labels(data, start)
        outcome = self._train(train_part, dev_part, weights[: len(train_part)], labels, settings, start, tell)
        if outcome.model is not None and self.refit and dev_part is not None and not outcome.interrupted:
            outcome = self._refit(outcome, train_part, dev_part, weights, labels, settings, start, tell)
        self._keep(outcome, data, labels, time.perf_counter() - began)
        if outcome.interrupted:
            raise KeyboardInterrupt
        return self

    def partial_fit(
        self: Estimator, X: Any, y: Any = None, *, classes: Sequence[str] | None = None, sample_weight: Any = None
    ) -> Estimator:
        """One epoch over these sentences, on top of what was learnt before.

        Labels are those of the first call and of `classes`; averaging goes on over all calls. A label that neither had is refused.
        """
        settings = self._check_params()
        data, weights = self._training_data(X, y, sample_weight, _warn)
        if not hasattr(self, "_trainer"):
            start = getattr(self, "model_", None)
            labels = self._labels(data, start, tuple(classes or ()))
            self._trainer = self._new_trainer(labels, settings, start, self._features(data, start))
            self._trainer_labels = labels
            self._calls = 0
        elif hasattr(self, "inputs_"):
            self._check_width(data)
        trainer, labels = self._trainer, self._trainer_labels
        self._calls += 1
        trainer.features.extend(self._inputs(data), self._whole(CUTOFF))
        result = trainer.epoch(
            self._training_set(trainer.features, data, weights, labels),
            self._whole(SEED),
            self._calls,
            lambda done: None,
        )
        model = trainer.model()
        outcome = Outcome(model=replace(model, features=model.features.copy()), best_epoch=self._calls)
        seconds, trained = getattr(self, "seconds_", None), getattr(self, "history_", [])
        self._keep(outcome, data, labels, seconds)
        self.history_ = [*trained, result]
        return self

    def _check_params(self) -> dict[str, Any]:
        for declared, value in ((EPOCHS, self.epochs), (CUTOFF, self.cutoff), (SEED, self.seed)):
            declared.parse(value)
        if self.patience is not None:
            PATIENCE.parse(self.patience)
        if not isinstance(self.settings, (Mapping, type(None))):
            raise SettingError(f"settings is {self.settings!r}; expected a dictionary.")
        if not isinstance(self.class_weight, (Mapping, str, type(None))):
            raise SettingError(f'class_weight is {self.class_weight!r}; expected a dictionary or "balanced".')
        weights = self.class_weight.items() if isinstance(self.class_weight, Mapping) else ()
        for label, weight in weights:
            if not isinstance(weight, Real):
                raise SettingError(f"class_weight of {label!r} is {weight!r}; expected a number.")
        _check_attributes(self.attributes or {})
        recipe, _ = chosen(self.recipe, self.structure, self.queue, self.beam)
        return resolve(recipe.settings, self.settings or {}, f"the recipe {recipe.name!r}")

    def _whole(self, setting: Setting) -> int:
        """A parameter as a number, whatever type it came in: 3, "3" and numpy.int64(3) are one."""
        return int(setting.parse(getattr(self, setting.name)))

    def _training_data(self, X: Any, y: Any, sample_weight: Any, tell: Listener) -> tuple[Corpus, NDArray[np.float64]]:
        """The corpus with its output as the last column, tags made legal; and a weight per sentence, or none."""
        data = self._with_output(X, y)
        if self.chunks:
            self._encoding = chunk_encoding(data, self.encoding)
            data = legal(data, self._encoding, strict=self.strict, listener=tell)
        return data, _sentence_weights(sample_weight, len(data))

    def _with_output(self, X: Any, y: Any) -> Corpus:
        corpus = as_corpus(X)
        if y is not None:
            return with_column(corpus, label_column(y, corpus))
        if corpus.width < 2:
            raise DataError(
                f"training needs at least one input column and the output column; found {corpus.width}.",
                remedy="Give the labels as y, or as the last column.",
                file=corpus.name,
            )
        return corpus

    def _split(self, data: Corpus, tell: Listener) -> tuple[Corpus, Corpus | None]:
        if self.dev is None:
            return data, None
        if not isinstance(self.dev, (int, float)):
            dev = as_corpus(self.dev)
            if dev.width != data.width:
                raise DataError(
                    f"the development data have {dev.width} columns, the training data {data.width}.", file=dev.name
                )
            if self.chunks and self.strict:
                legal(dev, self._encoding, strict=True, listener=tell)
            return data, dev
        if not 0 < self.dev < 1:
            raise SettingError(f"dev is {self.dev}; expected a corpus or a fraction between 0 and 1, such as 0.1.")
        held_out = max(1, round(len(data) * self.dev))
        if held_out >= len(data):
            raise DataError(f"{len(data)} sentences are too few to hold out {self.dev:.0%} of them.", file=data.name)
        tell(Note(f"The last {held_out:,} of {len(data):,} sentences are held out to choose the epoch."))
        return data[: len(data) - held_out], data[len(data) - held_out :]

    def _labels(self, data: Corpus, start: ChainModel | None, extra: tuple[str, ...] = ()) -> LabelSet:
        found = label_set(data, self._encoding if self.chunks else None, extra)
        if start is None:
            return found
        unknown = sorted(set(found.labels) - set(start.labels))
        if unknown:
            raise LabelError(
                f"label {unknown[0]!r} is unknown to the model that training goes on from; it has {', '.join(start.labels[:12])}.",
                remedy="Train anew, or name all labels at the first partial_fit with classes=.",
            )
        return LabelSet(start.labels, {label: found.counts.get(label, 0) for label in start.labels}, found.encoding)

    def _functions(self) -> dict[str, Attribute]:
        return {**builtin(), **(self.attributes or {})}

    def _features(self, data: Corpus, start: ChainModel | None) -> Features:
        if start is None:
            return Features(self._templates(data.width - 1), self._functions())
        self._check_width(data)
        return start.features.copy()

    def _check_width(self, data: Corpus) -> None:
        if data.width - 1 != len(self.inputs_):
            raise DataError(
                f"the data have {data.width - 1} input columns; the model that training goes on from reads {len(self.inputs_)}.",
                remedy="Give the columns of the first training, or train anew.",
                file=data.name,
            )

    def _templates(self, width: int) -> tuple[Template, ...]:
        """The templates to use on so many input columns; none where features are given by the user."""
        if width == 0:
            if self.template is not None:
                raise UnsupportedError(
                    "Templates read columns, but the sentences are dictionaries of features.",
                    remedy="Leave out template.",
                )
            return template_language.parse("edge")
        functions = self._functions()
        if self.template is None:
            templates = template_language.fitting(template_language.load(self.default_template), width)
        elif isinstance(self.template, (str, Path)):
            templates = template_language.load(self.template)
        else:
            templates = tuple(self.template)
        known = {*functions, NUMBER}
        template_language.check(templates, width, known.__contains__, known)
        return templates

    def _inputs(self, data: Corpus) -> Corpus:
        return data.select(range(data.width - 1))

    def _new_trainer(
        self, labels: LabelSet, settings: dict[str, Any], start: ChainModel | None, features: Features
    ) -> OnlineTrainer:
        return OnlineTrainer(features, labels.labels, labels.legality(), settings, start)

    def _training_set(
        self, features: Features, data: Corpus, weights: NDArray[np.float64], labels: LabelSet
    ) -> TrainingSet:
        ids = labels.ids(data.columns[-1])
        if (ids < 0).any():
            token = int(np.argmax(ids < 0))
            raise LabelError(
                f"label {data.columns[-1].alphabet.text(int(data.columns[-1].ids[token]))!r} is unknown; known: {', '.join(labels.labels[:12])}.",
                remedy="Name all labels at the first partial_fit with classes=.",
                file=data.name,
                line=data.line_of(token),
            )
        instances = features.instances(self._inputs(data))
        instances.set_labels(ids, len(labels.labels))
        return TrainingSet(instances, weights, class_weights(self.class_weight, labels))

    def _train(
        self,
        data: Corpus,
        dev: Corpus | None,
        weights: NDArray[np.float64],
        labels: LabelSet,
        settings: dict[str, Any],
        start: ChainModel | None,
        tell: Listener,
        refit_epochs: int | None = None,
    ) -> Outcome:
        features = self._features(data, start)
        features.extend(self._inputs(data), self._whole(CUTOFF))
        trainer = self._new_trainer(labels, settings, start, features)
        patience = None if self.patience is None else self._whole(PATIENCE)
        plan = Plan(refit_epochs or self._whole(EPOCHS), patience, self._whole(SEED), refit=refit_epochs is not None)
        score = None
        if dev is not None:
            instances = features.instances(self._inputs(dev))

            def score(model: ChainModel) -> float:
                evaluation = self._evaluated(dev, model.decode(instances), model.labels)
                return float(evaluation.statistic(evaluation.rows.sum(axis=0)))

        examples = self._training_set(features, data, weights, labels)
        if not plan.refit:
            rare_labels(labels, tell)
        return train(trainer, examples, plan, score, tell)

    def _refit(
        self,
        first: Outcome,
        train_part: Corpus,
        dev_part: Corpus,
        weights: NDArray[np.float64],
        labels: LabelSet,
        settings: dict[str, Any],
        start: ChainModel | None,
        tell: Listener,
    ) -> Outcome:
        tell(
            Note(
                f"Best development score {first.best_score:.2f} after epoch {first.best_epoch}; training again on all data."
            )
        )
        both = _joined(train_part, dev_part)
        if len(weights) and len(weights) < len(both):
            weights = np.concatenate([weights, np.ones(len(both) - len(weights))])
        again = self._train(
            both, None, weights, label_union(labels, dev_part, start), settings, start, tell, first.best_epoch
        )
        if again.model is None:  # interrupted before an epoch was done: the first model stands
            return replace(first, interrupted=True)
        return replace(again, best_score=first.best_score, history=[*first.history, *again.history])

    def _keep(self, outcome: Outcome, data: Corpus, labels: LabelSet, seconds: float | None) -> None:
        self.history_ = [event.__dict__ for event in outcome.history]
        if outcome.model is None:
            return
        origin = data.origin or tuple(range(data.width))
        self.model_ = outcome.model
        self.classes_ = list(outcome.model.labels)
        self.inputs_ = origin[: data.width - 1]
        self.output_ = origin[-1]
        self.encoding_ = labels.encoding.name if labels.encoding is not None else None
        self.best_epoch_ = outcome.best_epoch
        self.best_score_ = outcome.best_score
        self.seconds_ = seconds
        self.facts_ = {
            "name": Path(data.name).name,
            "sentences": len(data),
            "tokens": data.tokens,
            "label_counts": labels.counts,
        }

    # --- predicting ---------------------------------------------------------------------------------------------

    def _check_fitted(self) -> ChainModel:
        model: ChainModel | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} has not been trained yet.", remedy="Call fit, or riata.load_model(path)."
            )
        return model

    def input_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads; the output column may be there or not."""
        origin = corpus.origin or tuple(range(corpus.width))
        if not self.inputs_ and corpus.given is None:
            raise DataError(
                "the model reads dictionaries of features; found words.",
                remedy="Give the features of each token, as in training.",
                file=corpus.name,
            )
        missing = [column for column in self.inputs_ if column not in origin]
        if missing:
            raise DataError(
                f"the model reads column {missing[0]}, but the data have only {corpus.width} column{'s' * (corpus.width != 1)}.",
                remedy=f"Give the same input columns as in training: {', '.join(map(str, self.inputs_))}.",
                file=corpus.name,
            )
        return corpus.select([origin.index(column) for column in self.inputs_])

    def scored_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads and, last, the gold output: the column of training, or else the last one."""
        origin = corpus.origin or tuple(range(corpus.width))
        gold = origin.index(self.output_) if self.output_ in origin else corpus.width - 1
        if origin[gold] in self.inputs_:
            raise DataError(
                f"scoring needs the output column, but the data have only the inputs ({corpus.width} columns).",
                remedy="Score a file that holds the gold labels too.",
                file=corpus.name,
            )
        return with_column(self.input_columns(corpus), corpus.columns[gold])

    def predict_ids(self, X: Any) -> Ids:
        model = self._check_fitted()
        return model.predict(self.input_columns(as_corpus(X)))

    def predict(self, X: Any) -> list[list[str]]:
        """The labels of every sentence."""
        corpus = as_corpus(X)
        labels = [self.classes_[i] for i in self.predict_ids(corpus)]
        return [labels[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The task's main score, from 0 to 1: span F1 as conlleval counts it for chunks, accuracy for tags."""
        rows, statistic = (evaluation := self.evaluate(X, y)).rows, evaluation.statistic
        weights = _sentence_weights(sample_weight, len(rows))
        return float(statistic((rows * weights[:, None] if len(weights) else rows).sum(axis=0))) / 100

    def evaluate(self, X: Any, y: Any = None) -> Evaluation:
        """Everything about the predictions for these sentences: report per type, metrics in per cent, intervals."""
        self._check_fitted()
        data = self._with_output(X, y) if y is not None else self.scored_columns(as_corpus(X))
        return self._evaluated(data, self.predict_ids(self._inputs(data)), self.classes_)

    def _evaluated(self, data: Corpus, predicted: Ids, labels: Sequence[str]) -> Evaluation:
        known, gold = union_ids(data.columns[-1], labels)
        return evaluate(known, gold, predicted, data.starts, chunks=self.chunks)

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically."""
        from riata.models.file import save_model

        save_model(self, path)

    # --- pickling goes through the model file's format ------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        if not hasattr(self, "model_"):
            return self.__dict__.copy()
        from riata.models.file import to_bytes, user_functions

        functions = list(user_functions(self.model_).values())
        return {"params": self.get_params(), "model": to_bytes(self), "functions": functions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        from riata.models.file import from_bytes

        loaded = from_bytes(state["model"], using=state["functions"])
        self.__dict__.update(loaded.__dict__)
        self.__dict__.update(state["params"])


def union_ids(gold: Column, labels: Sequence[str]) -> tuple[list[str], Ids]:
    """The labels and those only gold has, and gold as ids of that list."""
    known = list(labels)
    at = {label: i for i, label in enumerate(known)}
    for text in gold.alphabet.texts():
        if text not in at:
            at[text] = len(known)
            known.append(text)
    table = np.array([at[text] for text in gold.alphabet.texts()], np.int32)
    return known, table[gold.ids]


def label_union(labels: LabelSet, dev: Corpus, start: ChainModel | None) -> LabelSet:
    """The labels of training with those that only the development data have (a model gone on from admits none)."""
    if start is not None:
        return labels
    found = label_set(dev, labels.encoding)
    extra = {label: count for label, count in found.counts.items() if label not in labels.counts}
    return LabelSet((*labels.labels, *extra), {**labels.counts, **extra}, labels.encoding)


def _joined(a: Corpus, b: Corpus) -> Corpus:
    """Both corpora as one, in the columns of the first."""
    columns = tuple(Column.of([*x.texts(), *y.texts()]) for x, y in zip(a.columns, b.columns, strict=True))
    starts = np.concatenate([a.starts, a.starts[-1] + b.starts[1:]])
    given = None if a.given is None or b.given is None else a.given.joined(b.given)
    return replace(a, columns=columns, starts=starts, lines=None, documents=(), comments=(), given=given)


def _sentence_weights(given: Any, sentences: int) -> NDArray[np.float64]:
    if given is None:
        return np.empty(0)
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise DataError(f"sample_weight is {given!r:.60}; expected one number per sentence.") from None
    if weights.shape != (sentences,):
        raise DataError(
            f"sample_weight has the shape {weights.shape}; expected one number for each of {sentences} sentences."
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DataError(
            "sample_weight holds NaN, an infinite or a negative number; expected finite numbers of at least 0."
        )
    return np.ascontiguousarray(weights)


def _check_attributes(attributes: Mapping[str, Attribute]) -> None:
    for name, function in attributes.items():
        if not callable(function):
            raise SettingError(f"attribute {name!r} is {function!r}; expected a function from a word to a text.")
        if name in builtin() or not _names_an_attribute(name):
            raise SettingError(
                f"attribute {name!r} has a name that templates use already, or cannot use.",
                remedy="Choose another name: letters, digits and _, not one that `riata pieces` lists.",
            )


def _names_an_attribute(name: str) -> bool:
    """Whether `name[0]` in a template reads the attribute of that name: not a column, not number, not a syntax error."""
    try:
        template = template_language.parse(f"word[0]\n{name}[0]")[-1]
    except RiataError:
        return False
    return name != NUMBER and [read.attribute for read in template.reads] == [name]


def _warn(event: Event) -> None:
    if isinstance(event, Note) and event.warning:
        warnings.warn(event.text, RiataWarning, stacklevel=4)
