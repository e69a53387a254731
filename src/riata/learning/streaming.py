"""Training from a file that is read in parts in every epoch: memory does not grow with its length."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from riata import registry
from riata.choosing.options import Options
from riata.data.documents import DocumentBounds
from riata.data.encodings.base import Encoding, Tags, least_broken, shown_encodings
from riata.data.files import ColumnFile
from riata.data.memory import as_corpus
from riata.data.types import SAMPLE, Corpus, inputs_of
from riata.errors import DataError, UnsupportedError
from riata.features.frequency import FREQUENCY
from riata.features.templates import Template
from riata.inference.kept import Kept
from riata.learning.development import check_dev, first_held_out
from riata.learning.events import Epoch, Listener, Note, ignore
from riata.learning.fit import Fit
from riata.learning.illegal_truth import IllegalTruth
from riata.learning.labels import (
    LabelSet,
    as_learnt,
    check_label_count,
    counts_of,
    illegal_note,
    label_set_of,
    learnable,
    legal,
    one_label,
    refuse_plain_tags,
)
from riata.learning.loop import EpochTrainer, Outcome, train
from riata.learning.structure import LearntStructure
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

    def epoch(
        self, trainer: EpochTrainer, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> Epoch:
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


@dataclass(frozen=True, eq=False)
class Survey:
    shape: Corpus  # all columns, without sentences
    sample: Corpus  # the first sentences
    sentences: int
    tokens: int
    counts: dict[str, int]  # counts of labels as they are learnt, with illegal tags read as conlleval does
    tags: Tags | None  # None: plain labels
    documents: DocumentBounds | None = None  # None: no documents are marked


def survey(file: ColumnFile, options: Options, tell: Listener, *, fresh: bool) -> Survey:
    """fresh: whether there is no model to continue from, so that the templates are those of the options."""
    check_dev(options)
    encodings: dict[str, Encoding] = {}
    if options.chunks:
        named = options.encoding != "auto"
        encodings = {options.encoding: registry.get("encoding", options.encoding)} if named else shown_encodings()
    broken: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    sentences = tokens = 0
    shape: Corpus | None = None
    documents = _DocumentNumbers()
    for part in file.parts():
        if shape is None:  # errors in the options are reported before the rest is read
            shape, sample = part[:0], part[: np.searchsorted(part.starts, SAMPLE)]
            if fresh:
                _check_templates(options.templates(part.width - 1))
        documents.add(part, sentences)
        sentences, tokens = sentences + len(part), tokens + part.tokens
        counts.update(counts_of(part.columns[-1]))
        if encodings:
            refuse_plain_tags(part, options.encoding)
        check_label_count(counts, file.name)
        for name, encoding in encodings.items():
            column = part.columns[-1]
            broken[name] += len(encoding.violations(column.alphabet.texts(), column.ids, part.starts))
    assert shape is not None  # the reader refuses a file without tokens
    if fresh and len(counts) == 1:
        raise one_label(next(iter(counts)), shape, shape.origins[-1])
    tell(Note(f"{file.name}: {sentences:,} sentences, {tokens:,} tokens; every epoch reads them in parts."))
    found = as_learnt(least_broken(encodings, broken), options.learn_as) if encodings else None
    if found is not None and (broken[found.data.name] or found.recoded):
        counts = _learnt_counts(file, found, broken[found.data.name], options, tell)
    return Survey(shape, sample, sentences, tokens, dict(counts), found, documents.bounds())


class _DocumentNumbers:
    """Where documents begin; only one number per document is stored."""

    def __init__(self) -> None:
        self._first, self._last, self._marked = [0], 0, False

    def add(self, part: Corpus, before: int) -> None:
        """before: the number of sentences of all earlier parts."""
        if part.document is None:
            return
        if not self._marked and before == 0:
            self._last = int(part.document[0])
        self._marked = True
        begins = np.flatnonzero(np.diff(part.document, prepend=self._last))
        self._first += (before + begins).tolist()
        self._last = int(part.document[-1])

    def bounds(self) -> DocumentBounds | None:
        first = np.array(self._first, np.int64)
        return DocumentBounds(first, first[1:]) if self._marked else None


def _check_templates(templates: Sequence[Template]) -> None:
    if any(read.attribute == FREQUENCY for template in templates for read in template.reads):
        raise UnsupportedError(
            f"{FREQUENCY} needs counts of all words before the first sentence is learnt from; stream=True does not hold them.",
            remedy=f"Leave out stream, or {FREQUENCY} from the template.",
        )


def _learnt_counts(file: ColumnFile, tags: Tags, wrong: int, options: Options, tell: Listener) -> Counter[str]:
    """Counts of labels as they are learnt, with illegal tags read as conlleval does. Needs another pass, since the encoding was unknown."""
    counts: Counter[str] = Counter()
    told = False
    for part in file.parts():
        mended = legal(part, tags.data, strict=options.strict, listener=ignore)
        if mended is not part and not told:
            tell(illegal_note(part, tags.data, wrong))
            told = True
        counts.update(counts_of(tags.learnt_column(mended.columns[-1], part.starts)))
    return counts
