"""Training from a file that is read in parts in every epoch: memory does not grow with its length."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from riata.data.memory import as_corpus, inputs_of
from riata.data.streamed import ColumnFile
from riata.data.types import Corpus
from riata.errors import DataError
from riata.inference.kept import Kept
from riata.learning.development import first_held_out
from riata.learning.events import Epoch, Listener, ignore
from riata.learning.fit import Fit
from riata.learning.illegal_truth import IllegalTruth
from riata.learning.labels import LabelSet, counts_of, label_set_of, learnable
from riata.learning.loop import Outcome, Trainer, train
from riata.learning.structure import LearntStructure
from riata.learning.survey import Survey
from riata.models.model import Model
from riata.scoring.evaluation import evaluate_column

Parts = Callable[[], Iterator[Corpus]]


@dataclass(frozen=True, eq=False)
class StreamedSet:
    """Examples that are looked up part by part, learnt from in an order within the part, and dropped."""

    structure: LearntStructure
    tell: Listener
    parts: Parts
    sentences: int
    tokens: int | None

    def epoch(self, trainer: Trainer, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began, total, done = time.perf_counter(), None, 0

        def progressed(sentences: int) -> None:
            if progress is not None:
                progress(done + sentences)

        structure = self.structure
        for part in self.parts():
            instances = structure.learn_features(trainer.features, part)
            structure.check_memory(trainer.features)
            examples = structure.examples(instances, part, np.empty(0), self.tell)
            one = trainer.epoch(examples, seed, number, progressed)
            total = one if total is None else _sum(total, one)
            done += len(part)
            del part, instances, examples  # freed before the next part is read
        assert total is not None  # there is at least one part; otherwise the reader has refused the file
        return replace(total, seconds=time.perf_counter() - began)


@dataclass(frozen=True, eq=False)
class StreamedFit:
    """One training from a file that is read in parts."""

    fit: Fit
    file: ColumnFile
    survey: Survey

    def run(self) -> tuple[Outcome, LabelSet]:
        """Trains, as Fit.run does."""
        fit, options, survey = self.fit, self.fit.options, self.survey
        first_dev = survey.sentences
        dev: Parts | None = None
        if isinstance(options.dev, (int, float)):
            first_dev = first_held_out(survey.sentences, survey.documents, float(options.dev), self.file.name, fit.tell)
            recoded = survey.tags is not None and survey.tags.recoded
            dev = partial(self._between, first_dev, survey.sentences, mend=recoded)
        elif options.dev is not None:
            dev = partial(iter, [fit.checked_dev(as_corpus(options.dev), survey.shape)])
        labels = fit.known(label_set_of(survey.counts, survey.tags, self.file.name, fresh=fit.start is None))
        parts = partial(self._between, 0, first_dev, mend=True)
        tokens = survey.tokens if first_dev == survey.sentences else None
        outcome = self._train(self._examples(labels, parts, first_dev, tokens), options.epochs, dev)
        if outcome.model is None or outcome.interrupted or dev is None or not options.refit:
            return outcome, labels
        return fit.refit(outcome, self._again)

    def _again(self, epochs: int) -> tuple[Outcome, LabelSet]:
        """Trains a second time, on the development data too. If these are a separate corpus, they come last."""
        survey, fit = self.survey, self.fit
        more: list[Corpus] = []
        counts = dict(survey.counts)
        dev = fit.options.dev
        if not isinstance(dev, (int, float)):
            corpus = as_corpus(dev)
            more = [corpus if fit.tags is None else learnable(corpus, fit.tags, strict=False, listener=fit.tell)]
            for label, n in counts_of(more[0].columns[-1]).items():
                counts[label] = counts.get(label, 0) + n

        def parts() -> Iterator[Corpus]:
            yield from self._between(0, survey.sentences, mend=True)
            yield from more

        labels = fit.known(label_set_of(counts, survey.tags, self.file.name, fresh=fit.start is None))
        sentences, tokens = survey.sentences + sum(map(len, more)), survey.tokens + sum(c.tokens for c in more)
        return self._train(self._examples(labels, parts, sentences, tokens), epochs, None, refit=True), labels

    def _examples(self, labels: LabelSet, parts: Parts, sentences: int, tokens: int | None) -> StreamedSet:
        return StreamedSet(self.fit.structure(labels), self.fit.tell, parts, sentences, tokens)

    def _train(self, data: StreamedSet, epochs: int, dev: Parts | None, *, refit: bool = False) -> Outcome:
        trainer = self.fit.trainer(self.survey.shape, data.structure)
        if not refit:
            data.structure.tell_of_data(trainer.features, self.survey.tokens, self.fit.tell)
        if data.structure.counts_words(trainer.features):
            for part in data.parts():
                data.structure.count_words(trainer.features, part)
        if not refit:
            self._tell_of_illegal(data)
        plan = self.fit.plan(epochs, refit=refit)
        kept = self.fit.kept(data.structure)
        score = None if dev is None else lambda model: self._score(model, dev(), kept)
        return train(trainer, data, plan, score, self.fit.tell)

    def _tell_of_illegal(self, data: StreamedSet) -> None:
        """Reads all parts once more, if there are constraints."""
        kept = self.fit.kept(data.structure)
        if kept is not None:
            illegal = IllegalTruth(kept, data.structure)
            for part in data.parts():
                illegal.add(part, kept.on(inputs_of(part)))
            illegal.tell(self.fit.tell)

    def _between(self, first: int, last: int, *, mend: bool = False) -> Iterator[Corpus]:
        """Sentences first to last - 1. mend: whether tags become those that are learnt, illegal ones read as conlleval does."""
        at = 0
        for part in self.file.parts():
            low, high = max(first - at, 0), min(last - at, len(part))
            at += len(part)
            if low < high:
                chosen = part if (low, high) == (0, len(part)) else part[low:high]
                tags = self.fit.tags if mend else None
                yield chosen if tags is None else learnable(chosen, tags, strict=False, listener=ignore)
            if at >= last:
                return
        raise DataError(
            f"the file has changed while it was read: there were {self.survey.sentences:,} sentences, and now there are {at:,}.",
            remedy="Train again when nothing writes to it.",
            file=self.file.name,
        )

    def _score(self, model: Model, parts: Iterator[Corpus], kept: Kept | None) -> float:
        total = statistic = None
        for part in parts:
            predicted = self.fit.dev_labels(model, inputs_of(part), kept)
            found = evaluate_column(
                part.columns[-1], predicted, model.labels, part.starts, chunks=self.fit.options.chunks
            )
            rows, statistic = found.rows.sum(axis=0), found.statistic
            total = rows if total is None else total + rows
        assert statistic is not None  # development data are never empty
        return float(statistic(total))


def _sum(a: Epoch, b: Epoch) -> Epoch:
    wrong = None if a.wrong_tokens is None or b.wrong_tokens is None else a.wrong_tokens + b.wrong_tokens
    return replace(
        a,
        updates=a.updates + b.updates,
        sentences=a.sentences + b.sentences,
        tokens=a.tokens + b.tokens,
        wrong_tokens=wrong,
    )
