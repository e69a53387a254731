"""Learning: from all data, from a file in parts, or portion by portion."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import Tags
from riata.data.types import Corpus
from riata.errors import AsInterrupt, DataError, RiataError, UnsupportedError, WithinMemory
from riata.estimators.input_check import check_of, profile_of
from riata.estimators.labels import Part
from riata.estimators.notes import warn_of
from riata.estimators.predicting import asked_of_search
from riata.features.templates import ADDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from riata.choosing.options import Options
    from riata.estimators.two_passes import FirstPass
    from riata.learning.events import Listener
    from riata.learning.fit import Fit, Start
    from riata.learning.labels import LabelSet
    from riata.learning.loop import EpochTrainer, Outcome
    from riata.models.model import Model

NOT_ASKED = "it was trained with calibrated=False"


class Fitting(Part):
    """Trains the model, and stores the results of training."""

    def fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, *, sample_weight: Any, listener: Listener | None) -> None:
        from riata.learning.events import listening
        from riata.learning.fit import Fit

        tell = listening(listener)
        began = time.perf_counter()
        options = self._options(X_dev, y_dev)
        start = self._start() if self.estimator.warm_start else None
        first: FirstPass | None = None
        if options.passes.passes > 1:
            from riata.choosing.sample_weight import weighed
            from riata.estimators.two_passes import first_pass, once

            raw = self.columns.with_output(X, y, unknown=options.has_unknown)
            raw, sample_weight = weighed(raw, sample_weight)
            tell = once(tell)
            first = first_pass(self.estimator, options, raw, sample_weight, tell)
            X, y, options = first.data, None, first.options
        if options.stream:
            from riata.choosing.options import check_stream

            check_stream(self.estimator, options.choice.recipe, labels=y is not None, weights=sample_weight is not None)
            fit, kept = self._learn_in_parts(options, X, start, tell)
        else:
            data, tags, weights = self.training_data(options, X, y, sample_weight, start, tell, fresh=start is None)
            fit = Fit(options, tags, start, tell)
            with AsInterrupt(), WithinMemory():
                outcome, labels = fit.run(data, weights)
            kept = (outcome, data, labels, len(data), data.tokens)
        outcome = kept[0]
        self.estimator._searched = asked_of_search(self.estimator), options.decoder
        history, seconds = [event.__dict__ for event in outcome.history], time.perf_counter() - began
        passes: dict[str, Any] = {"first_": None, "context_": None}
        if first is not None:
            first.tell_price(seconds, tell)
            passes = {"first_": first.model, "context_": first.scope}
        # partial_fit continues from this training
        self._set_at_once(*kept, history_=history, seconds_=seconds, _partial=None, **passes)
        if outcome.interrupted:
            raise KeyboardInterrupt
        with AsInterrupt(), WithinMemory():
            self._calibrate(fit, outcome, *((None, None) if options.stream else (data, weights)))
        self.estimator.seconds_ = time.perf_counter() - began

    def _options(self, X_dev: Any, y_dev: Any) -> Options:
        """The options, with the development data that are given to fit or, without these, those of the parameter `dev`."""
        from riata.choosing.options import checked

        options = checked(self.estimator, goes_on=self.estimator.warm_start)
        if X_dev is None and y_dev is None and options.dev is None:
            return options
        from riata.learning.development import check_given_once

        if not check_given_once(X_dev, y_dev, options.dev):
            return replace(options, dev=self.development(options.dev))
        return replace(options, dev=self.columns.with_output(X_dev, y_dev))

    def _learn_in_parts(
        self, options: Options, X: Any, start: Start | None, tell: Listener
    ) -> tuple[Fit, tuple[Outcome, Corpus, LabelSet, int, int]]:
        """Learns from a file that is read in parts; X: its path."""
        from riata.data.files import ColumnFile
        from riata.learning.fit import Fit
        from riata.learning.streaming import StreamedFit, survey

        file = ColumnFile.of(X)
        found = survey(file, options, tell, fresh=start is None)
        fit = Fit(options, found.tags, start, tell)
        with AsInterrupt(), WithinMemory():
            outcome, labels = StreamedFit(fit, file, found).run()
        return fit, (outcome, found.sample, labels, found.sentences, found.tokens)

    def _calibrate(self, fit: Fit, outcome: Outcome, data: Corpus | None, weights: Any) -> None:
        """Calibrates the model, or keeps the reason why not. data: None if they were read in parts."""
        if not self.estimator.calibrated:
            self.estimator.uncalibrated_ = NOT_ASKED
            return
        if data is None:
            self.estimator.uncalibrated_ = "stream=True reads data in parts, and holds none out"
            return
        from riata.estimators.calibrating import calibrated_in_training

        self.estimator.uncalibrated_ = "training was interrupted"
        try:
            self.estimator.confidence.keep(calibrated_in_training(self.estimator, fit, outcome, data, weights))
        except RiataError as error:
            self.estimator.uncalibrated_ = error.message.rstrip(".")

    def partial_fit(self, X: Any, y: Any, classes: Sequence[str] | None, sample_weight: Any) -> None:
        from riata.choosing.options import check_parts, checked
        from riata.choosing.passes import check_one_pass
        from riata.learning.development import check_one_epoch
        from riata.learning.fit import Fit, check_width
        from riata.learning.loop import Outcome
        from riata.learning.structure import label_ids

        estimator = self.estimator
        options = checked(estimator, goes_on=True)
        if options.stream:
            raise UnsupportedError(
                "partial_fit takes sentences from memory; stream=True is for fit.", remedy="Leave out stream."
            )
        check_parts(options.choice.recipe, "partial_fit learns from a part of the data at a time")
        check_one_epoch(estimator)
        check_one_pass(options.passes, "partial_fit")
        start = self._start()
        fresh = start is None and classes is None
        data, tags, weights = self.training_data(options, X, y, sample_weight, start, warn_of, fresh=fresh)
        fit = Fit(options, tags, start, warn_of)
        partial: tuple[EpochTrainer, LabelSet, Any] | None = getattr(estimator, "_partial", None)
        if partial is not None and partial[2] == options.learner:
            trainer, labels, _ = partial
            fit.check_same_tags(labels.tags)
            fit.check_same_functions(trainer.features)
            check_width(data, len(estimator.inputs_), estimator.array_width_)
            label_ids(data, labels)  # refuses unknown labels before anything is changed
            structure = fit.structure(labels)
            structure.check()
        else:
            labels = fit.labels(data, estimator.labels.class_names(classes))
            structure = fit.structure(labels)
            trainer = fit.trainer(data, structure)
        structure.count_words(trainer.features, data)
        instances = structure.learn_features(trainer.features, data)
        number = getattr(estimator, "best_epoch_", 0) + 1
        with AsInterrupt(), WithinMemory():
            event = trainer.epoch(fit.examples(instances, data, weights, structure), options.seed, number)
        model = trainer.model()
        self._set_at_once(
            Outcome(model.with_weights(model.weights, model.features.copy()), best_epoch=number),
            data,
            labels,
            len(data),
            data.tokens,
            history_=[*getattr(estimator, "history_", []), replace(event, dropped=trainer.dropped).__dict__],
            seconds_=(getattr(estimator, "seconds_", None) or 0.0) + event.seconds,
            _partial=(trainer, labels, options.learner),
            uncalibrated_="partial_fit calibrates nothing" if estimator.calibrated else NOT_ASKED,
        )

    def training_data(
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
        from riata.data.columns import unclean
        from riata.learning.events import Note
        from riata.learning.labels import check_labels_differ, chunk_tags, learnable, partly_known, tell_of_odd_files

        data, weights = self.columns.with_output(X, y, unknown=options.has_unknown), np.empty(0)
        if sample_weight is not None:
            from riata.choosing.sample_weight import sentence_weights, weighed

            data, given_weights = weighed(data, sample_weight)
            weights = sentence_weights(given_weights, len(data))
        if data.tokens == 0:
            raise DataError("there are no tokens to learn from.", file=data.name)
        if data.lines is None and (text := unclean(data)):  # readers of files have said so
            tell(Note(f"{text} str.strip() and unicodedata.normalize mend it.", warning=True))
        data = given = partly_known(data, options)
        tags = None
        if self.estimator.chunks:
            tags = chunk_tags(data, options.encoding, options.learn_as, None if start is None else start.tags)
            data = learnable(data, tags, strict=options.strict, listener=tell)
        if fresh:
            check_labels_differ(given, self.estimator.outputs, tell)
            tell_of_odd_files(given, self.estimator.outputs, tell)
            if data.vectors is not None:
                from riata.learning.scales import tell_of_scales

                tell_of_scales(data, options.choice.recipe, tell)
        return data, tags, weights

    def _start(self) -> Start | None:
        from riata.learning.fit import Start

        estimator = self.estimator
        model: Model | None = estimator._exact or getattr(estimator, "model_", None)
        if model is None:
            return None
        if estimator.first_ is not None:
            raise UnsupportedError("training cannot go on from a model of two passes.", remedy="Train anew.")
        chosen: Any = estimator.facts_.get("chosen", {})
        width, epoch = estimator.array_width_, estimator.best_epoch_
        return Start(model, len(estimator.inputs_), width, epoch, self.labels.tags(), chosen)

    def _set_at_once(
        self, outcome: Outcome, data: Corpus, labels: LabelSet, sentences: int, tokens: int, **others: Any
    ) -> None:
        """Sets all results of training in one step, so that an interrupt leaves the estimator either as before or complete."""
        if outcome.model is None:
            return
        made = self.estimator.twin()
        self.keep(made, outcome, outcome.model, data, labels, sentences, tokens)
        self.estimator.__dict__.update({**made.__dict__, **others})

    def keep(
        self,
        made: Any,
        outcome: Outcome,
        model: Model,
        data: Corpus,
        labels: LabelSet,
        sentences: int,
        tokens: int,
    ) -> None:
        """Sets what was learnt. made: the estimator. data: the columns that were learnt from, with all sentences or the first ones."""
        from riata.choosing.recipe import recipe_name

        width = data.array_width
        made.labels.set_model(model.rounded(width), labels.tags)
        more = data.breadth is not None and data.breadth > max(data.origins) + 1
        inputs = tuple(origin for origin in data.origins[:-1] if origin > ADDED)
        looks = made.check_input and made.file_format is None and not made.bits  # with bits, no words are kept
        made.__dict__.update(
            _exact=None if model.single else model,
            inputs_=inputs,
            array_width_=width,
            outputs_=data.origins[-1:],
            format_=data.format,
            names_=data.names,
            breadth_=data.breadth if more else None,  # None: there is no column after those that were learnt from
            best_epoch_=outcome.best_epoch,
            best_score_=outcome.best_score,
            _run=outcome.run,
            _input=check_of(profile_of(data, len(inputs))) if looks else None,
            facts_={
                "recipe": recipe_name(made),
                "name": os.path.basename(data.name),
                "sentences": sentences,
                "tokens": tokens,
                "label_counts": labels.counts,
                **({"chosen": dict(outcome.chosen)} if outcome.chosen else {}),
            },
        )

    def development(self, dev: Any) -> Any:
        """The parameter `dev` in the form of the data that are learnt from."""
        return dev
