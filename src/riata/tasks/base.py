"""What the estimators of sequence labelling share: parameters, learning, predicting, scoring, saving."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata.confidence.estimators import Confident
from riata.data.given import check_kind
from riata.data.memory import as_corpus, is_empty, label_column, with_column
from riata.data.recoding import Recoder, Tags
from riata.data.texts import interned
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import DataError, NotFittedError, RiataWarning, SettingError, UnknownNameError, UnsupportedError
from riata.estimators.by_label import ByLabel
from riata.estimators.internal import INTERNAL
from riata.interrupts import AsInterrupt
from riata.learning.options import Options, check_only_chains, check_parts, check_stream, checked
from riata.learning.preference import recipe_name
from riata.models.chain import EXACT, ChainModel, Decoder
from riata.parallel import cores
from riata.params import Params

if TYPE_CHECKING:
    from riata.analysis.error_analysis import ErrorAnalysis
    from riata.data.encodings.base import Encoding
    from riata.data.files import ColumnName
    from riata.data.pairs import PairRecoder
    from riata.data.running_text import Tokenizer
    from riata.explaining.explanation import Explanation
    from riata.features.attributes import Attribute
    from riata.features.templates import Template
    from riata.inference.trace import Trace
    from riata.learning.diagnostics import Diagnostics, Run
    from riata.learning.events import Event, Listener
    from riata.learning.fit import Start
    from riata.learning.labels import LabelSet
    from riata.learning.loop import Outcome, Trainer
    from riata.models.model import Model
    from riata.scoring.evaluation import Evaluation
    from riata.scoring.search_errors import SearchErrors
    from riata.showing.predictions import Predictions

Estimator = TypeVar("Estimator", bound="SequenceEstimator")

ANY_WIDTH = 1 << 30  # of a file whose columns were named

PARAMETERS = """recipe: the learner (None: the one that the task prefers, which `riata pieces` names); structure, queue, beam: what it searches, and how (None: what
the recipe prefers).
template: a named set, a file, or templates (None: the task's own). attributes: your own functions of a word, by name.
lists: words and phrases by name, each a file (an entry per line) or entries; templates read them as list(NAME)[0].
cutoff: n-grams seen less often are left out. bits: keep no dictionaries, but hash features into a table of 2^bits weights.
stream: fit takes the path of a file, which it reads in parts in every epoch and never holds.
epochs, seed, settings: of the learner. seeds: train so many models, with seed, seed + 1, …, and sum them into one.
shards: learn from so many parts of the data at once, and mix the weights after every epoch.
threads: how many work at once (None: all cores), which never changes the model.
dev: a corpus, or the fraction of the training data (its end) held out to choose the epoch; patience: stop after so
many epochs without a better score; refit: then train again on all data for that many epochs.
class_weight: by label, or "balanced". encoding: of chunk tags ("auto" finds it); learn_as: another one to learn them in,
which the output does not show; strict: refuse illegal tags instead of reading them as conlleval does. warm_start: go on from the present model when fit is called again.
"""


@dataclass(frozen=True)
class Task:
    """A task by name, and the estimator that does it."""

    name: str
    summary: str
    estimator: type[SequenceEstimator]
    outputs: tuple[
        tuple[str, ...], ...
    ] = ()  # columns of data sets that are its outputs: for each, the names it may have


class SequenceEstimator(Confident, ByLabel, Params):
    __doc__ = (
        f"""One label per token. Subclasses say what the labels are and which template is theirs.\n\n{PARAMETERS}"""
    )

    _internal = INTERNAL
    task_name: str
    chunks: bool  # labels are chunk tags, and the score is span F1; otherwise plain labels and accuracy
    default_template: str
    default_segments = "chunk"  # the default template of segments
    search_structure: str | None = None  # what recipes that search prefer to the chain
    outputs = 1  # columns to predict
    own_structure: str | None = None  # of the task, whatever the recipe prefers
    history_: list[dict[str, Any]]
    seconds_: float | None
    default_recipes: ClassVar[dict[str, str]] = {"chain": "mira", "segments": "laso-alma"}  # by structure
    presets: ClassVar[dict[str, dict[str, Any]]] = {  # parameters by what matters most: time, or the score
        "fast": {"epochs": 5},
        "best": {"epochs": 20, "seeds": 5},
    }

    def __init__(
        self,
        recipe: str | None = None,
        *,
        structure: str | None = None,
        queue: str | None = None,
        beam: float | None = None,
        template: str | Path | Sequence[Template] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        lists: Mapping[str, str | Path | Sequence[str]] | None = None,
        cutoff: int = 1,
        bits: int | None = None,
        stream: bool = False,
        epochs: int | None = None,
        seed: int = 0,
        seeds: int = 1,
        shards: int = 1,
        threads: int | None = None,
        settings: Mapping[str, Any] | None = None,
        dev: float | Corpus | None = None,
        patience: int | None = None,
        refit: bool = False,
        class_weight: Mapping[str, float] | str | None = None,
        encoding: str = "auto",
        learn_as: str | None = None,
        strict: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.recipe: str | None = recipe
        self.structure = structure
        self.queue = queue
        self.beam = beam
        self.template = template
        self.attributes = attributes
        self.lists = lists
        self.cutoff = cutoff
        self.bits = bits
        self.stream = stream
        self.epochs = epochs
        self.seed = seed
        self.seeds = seeds
        self.shards = shards
        self.threads = threads
        self.settings = settings
        self.dev = dev
        self.patience = patience
        self.refit = refit
        self.class_weight = class_weight
        self.encoding = encoding
        self.learn_as = learn_as
        self.strict = strict
        self.warm_start = warm_start

    @classmethod
    def preset(cls: type[Estimator], name: str, **parameters: Any) -> Estimator:
        """An estimator for what matters most: "fast" learns in little time, "best" scores highest in what was compared (docs/defaults.md).

        parameters: others, or in place of those of the preset.
        """
        return cls(**preset_of(cls, name, parameters))

    # --- learning -----------------------------------------------------------------------------------------------

    def fit(
        self: Estimator,
        X: Any,
        y: Any = None,
        X_dev: Any = None,
        y_dev: Any = None,
        *,
        sample_weight: Any = None,
        listener: Listener | None = None,
    ) -> Estimator:
        """Learns from a Corpus (its last column is the output), or from sentences and their labels; with `stream`, from a file.

        A sentence is a list of words, of tuples of columns or of dictionaries of features, or an array of numbers [T, d].
        X_dev, y_dev: development data, instead of the parameter `dev`.

        Ctrl-C keeps the model of the last good epoch and raises KeyboardInterrupt.
        """
        from riata.data.streamed import ColumnFile
        from riata.estimators.development import with_dev
        from riata.learning.fit import Fit
        from riata.learning.streaming import StreamedFit
        from riata.learning.survey import survey

        tell = _warn if listener is None else listener
        began = time.perf_counter()
        options = with_dev(self, checked(self, goes_on=self.warm_start), X_dev, y_dev)
        start = self._start() if self.warm_start else None
        if not options.is_chain:
            check_only_chains(options)
        if options.stream:
            check_parts(options, "stream=True gives a part of the data at a time")
            check_stream(self, labels=y is not None, weights=sample_weight is not None)
            file = ColumnFile.of(X)
            found = survey(file, options, tell, fresh=start is None)
            with AsInterrupt():
                outcome, labels = StreamedFit(Fit(options, found.tags, start, tell), file, found).run()
            kept = (outcome, found.shape, labels, found.sentences, found.tokens)
        else:
            data, tags, weights = self._training_data(options, X, y, sample_weight, start, tell, fresh=start is None)
            with AsInterrupt():
                outcome, labels = Fit(options, tags, start, tell).run(data, weights)
            kept = (outcome, data, labels, len(data), data.tokens)
        history = [event.__dict__ for event in outcome.history]
        # partial_fit goes on from this training
        self._set_at_once(*kept, history_=history, seconds_=time.perf_counter() - began, _partial=None)
        if outcome.interrupted:
            raise KeyboardInterrupt
        return self

    def partial_fit(
        self: Estimator, X: Any, y: Any = None, *, classes: Sequence[str] | None = None, sample_weight: Any = None
    ) -> Estimator:
        """One epoch over these sentences, on top of what was learnt before.

        Labels are those of the first call and of its `classes`; a label that neither had is refused. Averaging goes on over all calls.
        """
        from riata.learning.fit import Fit, check_width, label_ids
        from riata.learning.loop import Outcome

        options = checked(self, goes_on=True)
        if options.stream:
            raise UnsupportedError(
                "partial_fit takes sentences from memory; stream=True is for fit.", remedy="Leave out stream."
            )
        check_parts(options, "partial_fit learns from a part of the data at a time")
        start = self._start()
        fresh = start is None and classes is None
        data, tags, weights = self._training_data(options, X, y, sample_weight, start, _warn, fresh=fresh)
        fit = Fit(options, tags, start, _warn)
        partial: tuple[Trainer, LabelSet] | None = getattr(self, "_partial", None)
        if partial is not None:
            trainer, labels = partial
            fit.check_same_tags(labels.tags)
            check_width(data, len(self.inputs_), self.array_width_)
            label_ids(data, labels)  # refuses before anything is changed
        else:
            labels = fit.labels(data, self._class_names(classes))
            trainer = fit.trainer(data, labels)
        instances = fit.learn_features(trainer.features, data)
        number = getattr(self, "best_epoch_", 0) + 1
        with AsInterrupt():
            event = trainer.epoch(fit.examples(instances, data, weights, labels), options.seed, number)
        model = trainer.model()
        self._set_at_once(
            Outcome(replace(model, features=model.features.copy()), best_epoch=number),
            data,
            labels,
            len(data),
            data.tokens,
            history_=[*getattr(self, "history_", []), replace(event, dropped=trainer.dropped).__dict__],
            seconds_=(getattr(self, "seconds_", None) or 0.0) + event.seconds,
            _partial=(trainer, labels),
        )
        return self

    def _set_at_once(
        self, outcome: Outcome, data: Corpus, labels: LabelSet, sentences: int, tokens: int, **others: Any
    ) -> None:
        """All that training sets, in one step: an interrupt leaves the estimator as it was, or as it should be."""
        if outcome.model is None:
            return
        made = self.twin()
        made._keep(outcome, data, labels, sentences, tokens)
        self.__dict__.update({**made.__dict__, **others})

    def _class_names(self, classes: Any) -> tuple[str, ...]:
        if classes is None:
            return ()
        if isinstance(classes, str) or not all(isinstance(label, str) for label in classes):
            raise SettingError(f"classes is {classes!r}; expected a list of labels, each a string.")
        return tuple(classes)

    def _start(self) -> Start | None:
        from riata.learning.fit import Start

        model: Model | None = getattr(self, "model_", None)
        if model is None:
            return None
        chosen: Any = self.facts_.get("chosen", {})
        return Start(model, len(self.inputs_), self.array_width_, self.best_epoch_, self._tags(), chosen)

    def _training_data(
        self,
        options: Options,
        X: Any,
        y: Any,
        sample_weight: Any,
        start: Start | None,
        tell: Listener,
        *,
        fresh: bool,
    ) -> tuple[Corpus, Tags | None, NDArray[np.float64]]:
        """The corpus with its output as the last column and tags as they are learnt, how they are written, and weights of sentences.

        fresh: there are no labels but those of the data.
        """
        from riata.learning.labels import check_labels_differ, chunk_tags, learnable
        from riata.learning.sample_weight import sentence_weights
        from riata.learning.unknown import partly_known

        data = self.with_output(X, y, unknown=options.has_unknown)
        if data.tokens == 0:
            raise DataError("there are no tokens to learn from.", file=data.name)
        data = given = partly_known(data, options)
        tags = None
        if self.chunks:
            tags = chunk_tags(data, options.encoding, options.learn_as, None if start is None else start.tags)
            data = learnable(data, tags, strict=options.strict, listener=tell)
        if fresh:
            check_labels_differ(given, self.outputs, tell)
        return data, tags, sentence_weights(sample_weight, len(data))

    def with_output(self, X: Any, y: Any = None, *, unknown: bool = False) -> Corpus:
        """The data with the output as the last column, or columns. unknown: labels may be None."""
        corpus = as_corpus(X)
        if y is not None:
            return with_column(corpus, label_column(y, corpus, unknown=unknown))
        if corpus.width + (corpus.given is not None) < 2:
            raise DataError(
                f"training needs at least one input column and the output column; found {corpus.width}.",
                remedy="Give the labels as y, or as the last column.",
                file=corpus.name,
            )
        return corpus

    def _keep(self, outcome: Outcome, data: Corpus, labels: LabelSet, sentences: int, tokens: int) -> None:
        """data: of the columns that were learnt from, with all sentences or none."""
        if outcome.model is None:
            return
        self.set_model(outcome.model, labels.tags)
        self.inputs_ = data.origins[:-1]
        self.array_width_ = None if data.given is None else data.given.width
        self.outputs_: tuple[int, ...] = data.origins[-1:]
        self.format_ = data.format
        more = data.breadth is not None and data.breadth > max(data.origins) + 1
        self.breadth_ = data.breadth if more else None  # None: no column after those that were learnt from
        self.best_epoch_ = outcome.best_epoch
        self.best_score_ = outcome.best_score
        self._run: Run | None = outcome.run
        self.facts_ = {
            "name": Path(data.name).name,
            "sentences": sentences,
            "tokens": tokens,
            "label_counts": labels.counts,
            **({"chosen": dict(outcome.chosen)} if outcome.chosen else {}),
        }

    @property
    def output_(self) -> int:
        """The column that holds the output, or the last of them."""
        return self.outputs_[-1]

    def set_model(self, model: Model, tags: Tags | None) -> None:
        """Takes on a model whose chunk tags are learnt and written in this way."""
        self.model_ = model
        self.calibration_ = ()
        self.encoding_ = None if tags is None else tags.data.name
        self.learnt_as_ = None if tags is None else tags.learnt.name
        self._recoder: Recoder | PairRecoder | None = None
        self.classes_: list[Any] = list(model.labels)  # texts, or pairs of them
        self._texts: list[str] | None = (
            self.classes_
        )  # by label of the model; None: what is written depends on its neighbours
        if tags is not None and tags.recoded:
            self._recoder = self._recoding(model.labels, tags.learnt, tags.data)
            self.classes_ = self._recoder.labels
            table = self._recoder.table
            self._texts = None if table is None else [self.classes_[i] for i in table]

    def _recoding(self, labels: Sequence[str], source: Encoding, target: Encoding) -> Recoder | PairRecoder:
        """From these labels to those of another encoding."""
        return Recoder.of(labels, source, target)

    def _class_texts(self) -> list[str]:
        """The classes, as they are written in a column."""
        return self.classes_

    def _learnt_column(self, gold: Column, starts: Starts) -> Column:
        """Gold labels of the data as they are learnt."""
        tags = self._tags()
        if tags is None or not tags.recoded:
            return gold
        return self._recoding(gold.alphabet.texts(), tags.data, tags.learnt).column(gold.ids, starts)

    def _tags(self) -> Tags | None:
        if self.encoding_ is None or self.learnt_as_ is None:
            return None
        return Tags(registry.get("encoding", self.encoding_), registry.get("encoding", self.learnt_as_))

    # --- predicting and scoring ---------------------------------------------------------------------------------

    def _check_fitted(self) -> Model:
        model: Model | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} has not been trained yet.", remedy="Call fit, or riata.load_model(path)."
            )
        return model

    def sentences(self, X: Any) -> Corpus:
        """What the trained model is asked about, as a Corpus: tokens that are lists hold columns or names, as it has learnt."""
        return as_corpus(X, names=not self.inputs_ and self.array_width_ is None)

    def input_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads; the output column may be there or not.

        In a file of the kind that the model was trained on, they are the columns of the same numbers; in other data, the first ones.
        """
        if not self.inputs_:
            check_kind(corpus.given, self.array_width_, corpus.name)
        here = corpus.origins if corpus.format == self.format_ else tuple(range(corpus.width))
        wanted = self.inputs_ if corpus.format == self.format_ else tuple(range(len(self.inputs_)))
        missing = [column for column in wanted if column not in here]
        if missing:
            raise DataError(
                f"the model reads column {missing[0]}, but the data have only {corpus.width} column{'s' * (corpus.width != 1)}.",
                remedy=f"Give the same input columns as in training: {', '.join(map(str, wanted))}.",
                file=corpus.name,
            )
        return corpus.select([here.index(column) for column in wanted])

    def known_width(self, format: str) -> int:
        """How many columns data of this format may have: those of the training data, or else the inputs and outputs."""
        if format != self.format_:
            return len(self.inputs_) + self.outputs
        return max([self.breadth_ or 0, *(column + 1 for column in (*self.inputs_, *self.outputs_))])

    def reading(
        self: Estimator,
        inputs: Sequence[ColumnName] | None,
        outputs: Sequence[ColumnName] | None,
        *,
        conllu: bool,
    ) -> Estimator:
        """The same trained model for files in which other columns are its inputs and outputs; None: where they are anyway."""
        from riata.data.files import column_number

        made, format_ = self.twin(), "conllu" if conllu else "columns"
        same = format_ == self.format_
        for kind, names, number in (("inputs", inputs, len(self.inputs_)), ("outputs", outputs, self.outputs)):
            if names is not None and len(names) != number:
                raise SettingError(f"the model has {number} {kind}; --{kind} names {len(names)}.")
        read = inputs if inputs is not None else self.inputs_ if same else range(len(self.inputs_))
        made.inputs_ = tuple(column_number(name, conllu=conllu) for name in read)
        if outputs is not None:
            made.outputs_ = tuple(column_number(name, conllu=conllu) for name in outputs)
        elif not same:
            made.outputs_ = (-1,) * self.outputs
        if min((*made.inputs_, *(made.outputs_ if outputs else ())), default=0) < 0:
            raise SettingError("columns of a file to predict are counted from 0.")
        made.format_, made.breadth_ = format_, ANY_WIDTH
        return made

    def scored_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads and, last, the gold output: the column of training, or else the last one."""
        inputs = self.input_columns(corpus)
        same = corpus.format == self.format_ and self.output_ in corpus.origins
        gold = corpus.origins.index(self.output_) if same else corpus.width - 1
        if corpus.origins[gold] in inputs.origins:
            raise DataError(
                f"scoring needs the output column, but the data have only the inputs ({corpus.width} columns).",
                remedy="Score a file that holds the gold labels too.",
                file=corpus.name,
            )
        return with_column(inputs, corpus.columns[gold])

    def prepare(self) -> None:
        """Folds the model, which the first prediction would do otherwise (docs/speed.md)."""
        model = self._check_fitted()
        if self.decoder().queue == EXACT.queue and model.folded is not None:
            model.folded.meet_known()

    def decoder(self) -> Decoder:
        """How to search, by the present parameters: a trained model may be decoded with another queue or beam."""
        return checked(self, training=False).decoder

    def predict_ids(self, X: Any) -> Ids:
        """Labels as numbers, indices of `classes_`, of all tokens in one array."""
        model, options = self._check_fitted(), checked(self, training=False)
        inputs = self.input_columns(self.sentences(X))
        return self._as_classes(model.predict(inputs, options.decoder, options.threads or cores()), inputs.starts)

    def _as_classes(self, labels: Ids, starts: Starts) -> Ids:
        """Label ids of the model as indices of `classes_`."""
        return labels if self._recoder is None else self._recoder.ids(labels, starts)

    def _as_labels(self, classes: Ids, starts: Starts) -> Ids:
        """The inverse, for outputs of the model."""
        tags = self._tags()
        if tags is None or self._recoder is None:
            return classes
        recoder = self._recoding(self._class_texts(), tags.data, tags.learnt)
        found = self._label_ids(recoder.column(classes, starts))
        if (found < 0).any():
            raise DataError(
                "predicted holds labels that the model never gives in that order.", remedy="Give what predict_ids gave."
            )
        return found

    def _label_ids(self, column: Column) -> Ids:
        """Labels as they are learnt as ids of the model; -1 where it does not have them."""
        from riata.learning.labels import LabelSet

        return LabelSet(self._check_fitted().labels, {}, None).ids(column)

    @property
    def chunk_outputs(self) -> tuple[bool, ...]:
        return (self.chunks,)

    def _gold_columns(self, data: Corpus) -> Sequence[Column]:
        """The gold labels of data that `_with_gold` made, output by output."""
        return data.columns[-1:]

    def output_columns(self, ids: Ids) -> Sequence[Column]:
        """The columns to write for what predict_ids gave."""
        return (Column(interned(self.classes_)[0], ids),)

    def labeller(self) -> Callable[[Corpus], Ids]:
        """predict_ids for corpus after corpus, on one thread, by the parameters of now."""
        model, decoder = self._check_fitted(), self.decoder()
        return lambda corpus: self._as_classes(model.predict(self.input_columns(corpus), decoder), corpus.starts)

    def predict_file(
        self,
        source: str | Path,
        target: str | Path,
        *,
        nbest: int | None = None,
        confidence: bool = False,
        min_confidence: float | None = None,
        given: int | None = None,
        text: bool | Tokenizer = False,
    ) -> None:
        """Writes a file with a column of predictions more, as `riata predict` does; each may be compressed (.gz).

        CoNLL-U (.conllu) goes out as CoNLL-U. text: the file holds a sentence per line, as for predict. nbest: every sentence so many times, best labelling first. confidence: one more column
        with it. Below min_confidence a chunk is O, and a tag is _. given: the number of a column that holds labels to keep, _ elsewhere.
        """
        from riata.data.columns import write
        from riata.data.files import is_conllu
        from riata.labelled import Shown, labelled

        self._check_fitted()
        threads = checked(self, training=False).threads or cores()
        shown = Shown(nbest, confidence, min_confidence)
        conllu = not text and is_conllu(source, "auto", self.format_)
        answers = labelled(self, source, conllu=conllu, threads=threads, shown=shown, given=given, text=text)
        with closing(answers):
            write(answers, target)

    def predict(
        self,
        X: Any,
        *,
        min_confidence: float | None = None,
        given: Any = None,
        text: bool | Tokenizer = False,
    ) -> Predictions:
        """The labels of every sentence: a list, which notebooks show as labelled text.

        Below min_confidence, from 0 to 1, it abstains: a chunk is left out (O), a tag is None.
        given: labels that are known, a list per sentence, with None where any will do; the best labelling that has them is found.
        text: X is a list of sentences, each a string, which are split at spaces; or a function from a sentence to its words, to split them by.
        """
        from riata.showing.predictions import Predictions

        model = self._check_fitted()
        if text:
            X = self.split_text(X, text)
        if min_confidence is not None:
            from riata.confidence.estimators import check_least
            from riata.inference.knowing import check_given

            check_given(given, min_confidence)
            check_least(min_confidence)
        elif given is None and type(X) is list and (found := self._predict_at_once(model, X)) is not None:
            predictions = Predictions(found)
            predictions._about = (X, 0, self.chunks)
            return predictions
        corpus = self._knowing(X, given)
        if is_empty(X):
            return Predictions([] for _ in X)
        if min_confidence is None:
            labels: list[Any] = [self.classes_[i] for i in self.predict_ids(corpus)]
        else:
            outputs = self.abstaining(*self.confidence_ids(corpus), min_confidence)
            labels = outputs[0] if len(outputs) == 1 else list(zip(*outputs, strict=True))
        predictions = Predictions(
            labels[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
        )
        words = corpus.origins.index(self.inputs_[0]) if self.inputs_ and corpus.format == self.format_ else 0
        predictions._about = (X if isinstance(X, (list, tuple)) else corpus, words, self.chunks)
        return predictions

    def split_text(self, sentences: Any, text: bool | Tokenizer = True) -> list[list[str]]:
        """The words of sentences that are strings: what predict reads and labels with text=True."""
        from riata.data.running_text import text_corpus, tokenizer_of
        from riata.labelled import check_reads_words

        self._check_fitted()
        check_reads_words(self)
        return text_corpus(sentences, tokenizer_of(text)).sentences_of(0)

    def _knowing(self, X: Any, given: Any) -> Corpus:
        """The corpus with the labels that are given."""
        from riata.inference.knowing import knowing

        return knowing(self, X, given)

    def _predict_at_once(self, model: Model, sentences: list[Any]) -> list[list[str]] | None:
        """The short way of a few sentences in plain lists; None where something about them or the model is not plain."""
        facts = (self.recipe, self.structure, self.queue, self.beam, self.inputs_, self.format_, self.array_width_)
        if self.__dict__.get("_plain_with") != facts:
            if self.format_ == "memory" and self.inputs_ != tuple(range(len(self.inputs_))):
                return None
            if self.decoder().queue != EXACT.queue or self.array_width_ is not None:
                return None
            self._plain_with = facts
        if model.folded is None or self._texts is None:
            return None
        return model.folded.label(sentences, len(self.inputs_), self._texts)

    def predict_nbest(
        self, X: Any, k: int, *, probabilities: bool = False, given: Any = None
    ) -> list[list[tuple[list[str], float]]]:
        """The k best labellings of every sentence with their scores, best first; fewer where fewer are legal. The first is predict's.

        probabilities: with these instead of scores, among all legal labellings (see predict_proba).
        They are exact, so they need the queue `exact` and templates that read no label further back than label[-2].
        given: as predict takes it; then among labellings that have these labels.
        """
        self._check_fitted()
        corpus = self._knowing(X, given)
        found = self.nbest_ids(corpus, k)
        scores = [[score for _, score in sentence] for sentence in found]
        if probabilities and corpus.tokens:
            scores = self.nbest_probabilities(corpus, scores)
        return [
            [([self.classes_[i] for i in ids], number) for (ids, _), number in zip(sentence, numbers, strict=True)]
            for sentence, numbers in zip(found, scores, strict=True)
        ]

    def nbest_ids(self, X: Any, k: int) -> list[list[tuple[Ids, float]]]:
        """predict_nbest with labels as numbers, indices of `classes_`."""
        from riata.inference.chain import K

        model, k = self._check_fitted(), int(K.parse(k))
        model.check_nbest(self.decoder())
        corpus = self._knowing(X, None)
        if corpus.tokens == 0:
            return [[(np.empty(0, np.int32), 0.0)] for _ in range(len(corpus))]
        found = model.nbest(self.input_columns(corpus), k)
        if self._recoder is None:
            return found
        return [
            [(self._as_classes(ids, np.array([0, len(ids)])), score) for ids, score in sentence] for sentence in found
        ]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The task's main score, from 0 to 1: span F1 as conlleval counts it for chunks, accuracy for tags."""
        from riata.learning.sample_weight import sentence_weights

        evaluation = self.evaluate(X, y)
        weights = sentence_weights(sample_weight, len(evaluation.rows))
        rows = evaluation.rows * weights[:, None] if len(weights) else evaluation.rows
        return float(evaluation.statistic(rows.sum(axis=0))) / 100

    def _with_gold(self, X: Any, y: Any) -> Corpus:
        """The columns that the model reads and, last, the gold labels, from the data or from y."""
        corpus = self.sentences(X)
        if y is None:
            return self.scored_columns(corpus)
        return with_column(self.input_columns(corpus), label_column(y, corpus))

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        """Everything about the predictions for these sentences: report per type, metrics in per cent, intervals.

        predicted: what predict_ids gave for them, where it is known already.
        """
        from riata.learning.fit import inputs_of

        model = self._check_fitted()
        data = self._with_gold(X, y)
        if predicted is None:
            predicted = self._as_classes(model.predict(inputs_of(data), self.decoder()), data.starts)
        return self._evaluated(data.columns[-1], predicted, data.starts)

    def gold_and_found(self, X: Any, y: Any = None) -> tuple[Corpus, Sequence[Column], Sequence[Column]]:
        """The columns that the model reads, those of gold labels and those of predicted ones: one of each, or one per output."""
        from riata.learning.fit import inputs_of

        model, options = self._check_fitted(), checked(self, training=False)
        data = self._with_gold(X, y)
        inputs = inputs_of(data)
        labels = model.predict(inputs, options.decoder, options.threads or cores())
        return inputs, self._gold_columns(data), self.output_columns(self._as_classes(labels, data.starts))

    def _evaluated(self, gold: Column, predicted: Ids, starts: Starts) -> Evaluation:
        from riata.scoring.evaluation import evaluate_column

        return evaluate_column(gold, predicted, self.classes_, starts, chunks=self.chunks)

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        """Whose fault wrong sentences are: of the search alone, of the model alone, or of both (docs/search.md). predicted: as for evaluate."""
        from riata.learning.fit import inputs_of
        from riata.scoring.search_errors import split_errors

        model = self._check_fitted()
        data = self._with_gold(X, y)
        truth = self._label_ids(self._learnt_column(data.columns[-1], data.starts))
        found = None if predicted is None else self._as_labels(predicted, data.starts)
        return split_errors(model, inputs_of(data), found, truth, self.decoder())

    def best_output(self, corpus: Corpus) -> list[Any] | None:
        """The labels of one sentence that score highest of all, whatever the queue finds; None where exact search is too costly."""
        from riata.scoring.search_errors import best_labels

        model, inputs = self._check_fitted(), self.input_columns(corpus)
        best = best_labels(model, model.features.instances(inputs), inputs.starts)
        return None if best is None else [self.classes_[i] for i in self._as_classes(best, inputs.starts)]

    def errors(
        self, X: Any, y: Any = None, *, train: Any = None, beams: Sequence[float] = (), examples: int = 1
    ) -> ErrorAnalysis:
        """Where the model goes wrong on these sentences, as `riata errors` shows it (docs/analysis.md).

        train: the training data, to tell seen words from unseen ones. beams: decode with each of these widths too.
        """
        from riata.analysis.error_analysis import error_analysis

        return error_analysis(self, X, y, train=train, beams=beams, examples=examples)

    def diagnose(self, X: Any, y: Any = None, *, beam: float | None = None) -> Diagnostics:
        """The margins of the final weights on these sentences, and what the theory of LaSO says about the training (docs/theory.md).

        Give the training data. beam: the states kept while measuring (None: as in training); float("inf") keeps all of them,
        which is what the bounds need unless training was greedy. Needs a recipe that searches, trained by this object.
        """
        from riata.learning.diagnostics import diagnosis, measured_settings, not_kept
        from riata.learning.fit import inputs_of, label_ids
        from riata.learning.labels import LabelSet
        from riata.learning.recipe import beam_width

        self._check_fitted()
        run: Run | None = getattr(self, "_run", None)
        if run is None:
            options = checked(self, training=False)
            searches = options.choice.recipe.searches and registry.get("queue", options.choice.queue).searches
            raise not_kept(type(self).__name__, recipe_name(self), searches=searches, seeds=options.seeds)
        settings = measured_settings(run, beam, beam_width)
        data = self._learnable(self._with_gold(X, y), _warn)
        labels = LabelSet(run.model.labels, {}, self._tags())
        instances = run.model.features.instances(inputs_of(data))
        margins = run.model.margins(instances, label_ids(data, labels), settings)
        return diagnosis(run, margins, settings, len(data))

    def trace(
        self,
        sentence: Any,
        labels: Sequence[Any] | bool | None = None,
        *,
        features: bool = False,
        training: bool = True,
    ) -> Trace:
        """What the search for one sentence does, step by step: a list of tokens, or a Corpus of one sentence.

        labels: the true ones, or True for those in the data. With them the search is that of training, so far as the recipe trains
        with the present queue; no weight is changed. training=False: it goes on as in prediction, and shows the first update that
        training would make. features: record those of every step, with their weights.
        With learn_as, the labels of the trace are those that were learnt.
        """
        from riata.inference.tracing import BY_STRUCTURE, one_sentence
        from riata.learning.decoding import LATTICE

        model, options = self._check_fitted(), checked(self, training=False)
        if features and getattr(model, "local", False):
            raise UnsupportedError(
                "The scores of the recipe 'memm' are normalised step by step: they are no sums of what features say, which explanations are.",
                remedy="trace(..., features=False) shows the search; of the recipes perceptron and crf, explain shows the features.",
            )
        corpus, truth = one_sentence(sentence, self.sentences), None
        inputs = self.input_columns(corpus)
        if labels is not None and labels is not False:
            truth = self._true_labels(corpus, None if labels is True else [labels], options)
        queue = registry.get("queue", options.choice.queue)
        recipe, settings = options.choice.recipe, options.settings
        trained = recipe.searches and queue.searches and not queue.decode_only and settings["update"] != LATTICE
        followed = {**settings, **vars(options.decoder), "recipe": recipe.name, "training": training}
        learner = followed if truth is not None and trained else None
        learnt_as = None if self._recoder is None else self.learnt_as_
        return BY_STRUCTURE[model.structure](model, inputs, truth, options.decoder, learner, features, learnt_as)

    def explain(
        self,
        sentence: Any,
        labels: Sequence[Any] | bool | None = None,
        *,
        against: Sequence[Any] | None = None,
        training: bool = False,
    ) -> Explanation:
        """Why one sentence gets the labels it gets: every feature that speaks for them or against them, and the search that found them.

        labels: the true ones, or True for those in the data. The labels are compared with `against`; without it with the truth, where
        it is another output, or else with the runner-up. training: show the search as it is in training, with its updates and restarts.
        Of a model that decodes exactly, a beam with the same weights is shown.
        """
        from riata.explaining.explain import explain_sentence
        from riata.inference.tracing import one_sentence

        self._check_fitted()
        truth = None if labels is False else labels
        return explain_sentence(self, one_sentence(sentence, self.sentences), truth, against, training)

    def twin(self: Estimator, **params: Any) -> Estimator:
        """The same trained model with other parameters; nothing is copied."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made.set_params(**params)

    def _true_labels(self, corpus: Corpus, y: Any, options: Options) -> list[str]:
        """All gold labels as they are learnt; illegal tags are read as in training."""
        return self._learnable(self._with_gold(corpus, y), _warn, strict=options.strict).columns[-1].texts()

    def _learnable(self, data: Corpus, tell: Listener, *, strict: bool = False) -> Corpus:
        """Data with gold labels, written as the model has learnt them. A model that gives illegal tags (an imported one) knows them as they are."""
        from riata.learning.labels import learnable

        tags, model = self._tags(), self._check_fitted()
        if tags is None or (isinstance(model, ChainModel) and model.legality.is_free):
            return data
        return learnable(data, tags, strict=strict, listener=tell)

    def _repr_html_(self) -> str:
        from riata.showing.estimators import sequence_facts

        return sequence_facts(self) if hasattr(self, "model_") else super()._repr_html_()

    # --- keeping ------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically."""
        from riata.models.file import save_model

        save_model(self, path)

    def __getstate__(self) -> dict[str, Any]:
        """A trained estimator pickles through the format of the model file."""
        if not hasattr(self, "model_"):
            return self.__dict__.copy()
        from riata.models.file import to_bytes, user_functions

        functions = list(user_functions(self.model_).values())
        return {"params": self.get_params(deep=False), "model": to_bytes(self), "functions": functions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        from riata.models.file import from_bytes

        loaded = from_bytes(state["model"], using=state["functions"])
        self.__dict__.update({**loaded.__dict__, **state["params"]})


def preset_of(estimator: type[SequenceEstimator], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a preset, those given in place of its own: settings one by one, and for another recipe none of the preset's."""
    if name not in estimator.presets:
        raise UnknownNameError.of("preset", name, estimator.presets)
    preset = estimator.presets[name]
    found = {**preset, **given}
    if "settings" in preset:
        same = found["recipe"] == preset["recipe"]
        found["settings"] = {**(preset["settings"] if same else {}), **(given.get("settings") or {})}
    return found


def _warn(event: Event) -> None:
    from riata.learning.events import Note

    if isinstance(event, Note) and event.warning:
        warnings.warn(event.text, RiataWarning, stacklevel=6)
