"""Learning: from all data, from a file in parts, or portion by portion."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata.data.profile import profile_of
from riata.data.recoding import Tags
from riata.data.types import Corpus
from riata.errors import DataError, RiataError, SettingError, UnsupportedError
from riata.estimators.columns import Columns
from riata.estimators.input_check import check_of
from riata.estimators.notes import warn_of
from riata.features.context_names import ADDED
from riata.interrupts import AsInterrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from riata.choosing.options import Options
    from riata.estimators.two_passes import FirstPass
    from riata.learning.events import Listener
    from riata.learning.fit import Fit, Start
    from riata.learning.labels import LabelSet
    from riata.learning.loop import Outcome, Trainer
    from riata.models.model import Model

NOT_ASKED = "it was trained with calibrated=False"

Self = TypeVar("Self", bound="Fitting")  # typing.Self needs Python 3.11


class Fitting(Columns):
    """Trains the model, and stores the results of training."""

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        X_dev: Any = None,
        y_dev: Any = None,
        *,
        sample_weight: Any = None,
        listener: Listener | None = None,
    ) -> Self:
        """Learns from a Corpus (its last column is the output), or from sentences and their labels; with `stream`, from a file.

        A sentence is a list of words, of tuples of columns or of dictionaries of features, or an array of numbers [T, d].
        X_dev, y_dev: development data, instead of the parameter `dev`. listener: is called with what happens; without one, warnings are
        Python's, and a terminal shows every epoch.
        Ctrl-C keeps the model of the last good epoch and raises KeyboardInterrupt.
        """
        from riata.choosing.options import checked
        from riata.choosing.sample_weight import weighed
        from riata.estimators.development import with_dev
        from riata.learning.cost import within_memory
        from riata.learning.fit import Fit
        from riata.learning.logs import heard

        tell = heard(listener)
        began = time.perf_counter()
        options = with_dev(self, checked(self, goes_on=self.warm_start), X_dev, y_dev)
        start = self._start() if self.warm_start else None
        first: FirstPass | None = None
        if options.passes.passes > 1:
            from riata.estimators.two_passes import first_pass, once

            raw, sample_weight = weighed(self.with_output(X, y, unknown=options.has_unknown), sample_weight)
            tell = once(tell)
            first = first_pass(self, options, raw, sample_weight, tell)
            X, y, options = first.data, None, first.options
        if options.stream:
            from riata.choosing.options import check_stream

            check_stream(self, options.choice.recipe, labels=y is not None, weights=sample_weight is not None)
            fit, kept = self._learn_in_parts(options, X, start, tell)
        else:
            data, tags, weights = self._training_data(options, X, y, sample_weight, start, tell, fresh=start is None)
            fit = Fit(options, tags, start, tell)
            with AsInterrupt(), within_memory():
                outcome, labels = fit.run(data, weights)
            kept = (outcome, data, labels, len(data), data.tokens)
        outcome = kept[0]
        history, seconds = [event.__dict__ for event in outcome.history], time.perf_counter() - began
        passes: dict[str, Any] = {"first_": None, "context_": None}
        if first is not None:
            first.tell_price(seconds, tell)
            passes = {"first_": first.model, "context_": first.scope}
        # partial_fit continues from this training
        self._set_at_once(*kept, history_=history, seconds_=seconds, _partial=None, **passes)
        if outcome.interrupted:
            raise KeyboardInterrupt
        with AsInterrupt(), within_memory():
            self._calibrate_in_training(fit, outcome, *((None, None) if options.stream else (data, weights)))
        self.seconds_ = time.perf_counter() - began
        return self

    def _learn_in_parts(
        self, options: Options, X: Any, start: Start | None, tell: Listener
    ) -> tuple[Fit, tuple[Outcome, Corpus, LabelSet, int, int]]:
        """Learns from a file that is read in parts; X: its path."""
        from riata.data.streamed import ColumnFile
        from riata.learning.cost import within_memory
        from riata.learning.fit import Fit
        from riata.learning.streaming import StreamedFit
        from riata.learning.survey import survey

        file = ColumnFile.of(X)
        found = survey(file, options, tell, fresh=start is None)
        fit = Fit(options, found.tags, start, tell)
        with AsInterrupt(), within_memory():
            outcome, labels = StreamedFit(fit, file, found).run()
        return fit, (outcome, found.sample, labels, found.sentences, found.tokens)

    def _calibrate_in_training(self, fit: Fit, outcome: Outcome, data: Corpus | None, weights: Any) -> None:
        """Calibrates the model, or keeps the reason why not. data: None if they were read in parts."""
        if not self.calibrated or fit.options.choice.recipe.probabilistic:
            self.uncalibrated_ = "" if self.calibrated else NOT_ASKED
            return
        if data is None:
            self.uncalibrated_ = "stream=True reads data in parts, and holds none out"
            return
        from riata.estimators.calibrating import calibrated_in_training

        self.uncalibrated_ = "training was interrupted"
        try:
            self.calibration_ = calibrated_in_training(self, fit, outcome, data, weights)
            self.uncalibrated_ = ""
        except RiataError as error:
            self.uncalibrated_ = error.message.rstrip(".")

    def partial_fit(
        self: Self, X: Any, y: Any = None, *, classes: Sequence[str] | None = None, sample_weight: Any = None
    ) -> Self:
        """One epoch over these sentences, whatever `epochs` says, on top of what was learnt before. dev, patience and refit are refused.

        Where other parameters have changed since the last call, learning goes on with them from the present model, as with warm_start.
        Labels are those of the first call and of its `classes`; a label that neither had is refused. Averaging goes on over all calls.
        """
        from riata.choosing.options import check_parts, checked
        from riata.choosing.passes import check_one_pass
        from riata.learning.cost import within_memory
        from riata.learning.development import check_one_epoch
        from riata.learning.fit import Fit, check_width
        from riata.learning.loop import Outcome
        from riata.learning.structure import label_ids

        options = checked(self, goes_on=True)
        if options.stream:
            raise UnsupportedError(
                "partial_fit takes sentences from memory; stream=True is for fit.", remedy="Leave out stream."
            )
        check_parts(options.choice.recipe, "partial_fit learns from a part of the data at a time")
        check_one_epoch(self)
        check_one_pass(options.passes, "partial_fit")
        start = self._start()
        fresh = start is None and classes is None
        data, tags, weights = self._training_data(options, X, y, sample_weight, start, warn_of, fresh=fresh)
        fit = Fit(options, tags, start, warn_of)
        partial: tuple[Trainer, LabelSet, Any] | None = getattr(self, "_partial", None)
        if partial is not None and partial[2] == options.learner:
            trainer, labels, _ = partial
            fit.check_same_tags(labels.tags)
            fit.check_same_functions(trainer.features)
            check_width(data, len(self.inputs_), self.array_width_)
            label_ids(data, labels)  # refuses unknown labels before anything is changed
            structure = fit.structure(labels)
            structure.check()
        else:
            labels = fit.labels(data, self._class_names(classes))
            structure = fit.structure(labels)
            trainer = fit.trainer(data, structure)
        structure.count_words(trainer.features, data)
        instances = structure.learn_features(trainer.features, data)
        number = getattr(self, "best_epoch_", 0) + 1
        with AsInterrupt(), within_memory():
            event = trainer.epoch(fit.examples(instances, data, weights, structure), options.seed, number)
        model = trainer.model()
        self._set_at_once(
            Outcome(model.with_weights(model.weights, model.features.copy()), best_epoch=number),
            data,
            labels,
            len(data),
            data.tokens,
            history_=[*getattr(self, "history_", []), replace(event, dropped=trainer.dropped).__dict__],
            seconds_=(getattr(self, "seconds_", None) or 0.0) + event.seconds,
            _partial=(trainer, labels, options.learner),
            uncalibrated_="partial_fit calibrates nothing" if self.calibrated else NOT_ASKED,
        )
        return self

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
        """The corpus with its output as the last column and tags as they are learnt, their encoding, and weights of sentences.

        fresh: whether the only labels are those of the data.
        """
        from riata.choosing.sample_weight import sentence_weights, weighed
        from riata.data.cleaning import unclean
        from riata.learning.events import Note
        from riata.learning.labels import check_labels_differ, chunk_tags, learnable
        from riata.learning.scales import tell_of_scales
        from riata.learning.unknown import partly_known

        data, weights = weighed(self.with_output(X, y, unknown=options.has_unknown), sample_weight)
        if data.tokens == 0:
            raise DataError("there are no tokens to learn from.", file=data.name)
        if data.lines is None and (text := unclean(data)):  # readers of files have said so
            tell(Note(f"{text} str.strip() and unicodedata.normalize mend it.", warning=True))
        data = given = partly_known(data, options)
        tags = None
        if self.chunks:
            tags = chunk_tags(data, options.encoding, options.learn_as, None if start is None else start.tags)
            data = learnable(data, tags, strict=options.strict, listener=tell)
        if fresh:
            check_labels_differ(given, self.outputs, tell)
            tell_of_scales(data, options.choice.recipe, tell)
        return data, tags, sentence_weights(weights, len(data))

    def _class_names(self, classes: Any) -> tuple[str, ...]:
        if classes is None:
            return ()
        if isinstance(classes, str) or not all(isinstance(label, str) for label in classes):
            raise SettingError(f"classes is {classes!r}; expected a list of labels, each a string.")
        return tuple(classes)

    def _start(self) -> Start | None:
        from riata.learning.fit import Start

        model: Model | None = self._exact or getattr(self, "model_", None)
        if model is None:
            return None
        if self.first_ is not None:
            raise UnsupportedError("training cannot go on from a model of two passes.", remedy="Train anew.")
        chosen: Any = self.facts_.get("chosen", {})
        return Start(model, len(self.inputs_), self.array_width_, self.best_epoch_, self._tags(), chosen)

    def _set_at_once(
        self, outcome: Outcome, data: Corpus, labels: LabelSet, sentences: int, tokens: int, **others: Any
    ) -> None:
        """Sets all results of training in one step, so that an interrupt leaves the estimator either as before or complete."""
        if outcome.model is None:
            return
        made = self.twin()
        made._keep(outcome, data, labels, sentences, tokens)
        self.__dict__.update({**made.__dict__, **others})

    def _keep(self, outcome: Outcome, data: Corpus, labels: LabelSet, sentences: int, tokens: int) -> None:
        """data: the columns that were learnt from, with all sentences or the first ones."""
        if outcome.model is None:
            return
        width = data.array_width
        self.set_model(outcome.model.rounded(width), labels.tags)
        self._exact = None if outcome.model.single else outcome.model
        self.inputs_ = tuple(origin for origin in data.origins[:-1] if origin > ADDED)
        self.array_width_ = width
        self.outputs_ = data.origins[-1:]
        self.format_, self.names_ = data.format, data.names
        more = data.breadth is not None and data.breadth > max(data.origins) + 1
        self.breadth_ = data.breadth if more else None  # None: there is no column after those that were learnt from
        self.best_epoch_ = outcome.best_epoch
        self.best_score_ = outcome.best_score
        self._run = outcome.run
        checked_later = self.check_input and self.file_format is None and not self.bits  # of which no words are kept
        self._input = check_of(profile_of(data, len(self.inputs_))) if checked_later else None
        self.facts_ = {
            "name": os.path.basename(data.name),
            "sentences": sentences,
            "tokens": tokens,
            "label_counts": labels.counts,
            **({"chosen": dict(outcome.chosen)} if outcome.chosen else {}),
        }
