"""The second of two passes: sentences with the votes of a first pass, from memory or part by part from a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from riata.data.types import Column, Corpus, Ids
from riata.features.context import Votes
from riata.features.context_names import ADDED, Scope

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator


def with_context(estimator: SequenceEstimator, corpus: Corpus) -> Corpus:
    """The corpus with the columns of context beside its own. The corpus is the whole input."""
    return corpus if corpus.context is not None else next(in_context(estimator, [corpus]))


def and_context(estimator: SequenceEstimator, inputs: Corpus) -> Corpus:
    """What the model reads: columns of the data, followed by those of context."""
    inputs = with_context(estimator, inputs)
    assert inputs.context is not None
    return followed(inputs, inputs.context)


def followed(corpus: Corpus, context: Sequence[Column]) -> Corpus:
    """The corpus with these columns after its own."""
    numbers = range(ADDED, ADDED - len(context), -1)
    return replace(corpus, columns=(*corpus.columns, *context), origin=(*corpus.origins, *numbers))


def in_context(estimator: SequenceEstimator, parts: Iterable[Corpus]) -> Iterator[Corpus]:
    """The parts of a text one after the other, each with its columns of context as soon as everything that votes about it has been read."""
    first = estimator.first_
    assert first is not None
    gather = _gathering(first, estimator.columns.scope())
    for part in parts:
        inputs = replace(estimator.columns.own_columns(part), known=None)  # given labels are for the second pass
        yield from gather.add(part, inputs.columns[0], first.predicting.labels_of(inputs))
    yield from gather.rest()


def at_documents(parts: Iterable[Corpus]) -> Iterator[Corpus]:
    """The parts of a text, cut before the last document of each, which may go on: what is before it need not wait for its end."""
    for part in parts:
        last = 0 if part.document is None or len(part) == 0 else int(np.searchsorted(part.document, part.document[-1]))
        yield from [part[:last], part[last:]] if last else [part]


def needs_marks(estimator: SequenceEstimator) -> bool:
    """Whether the second pass looks at the sentences of a document, so that it matters whether documents are marked."""
    return estimator.first_ is not None and estimator.columns.scope().mode == "document"


def watching_marks(parts: Iterable[Corpus], tell: Callable[[], None]) -> Iterator[Corpus]:
    """The parts of a text. At its end, `tell` is called if no document was marked in it."""
    marked = False
    for part in parts:
        marked |= part.document is not None
        yield part
    if not marked:
        tell()


def told(part: Corpus, labels: Ids, first: SequenceEstimator, scope: Scope) -> tuple[Column, ...]:
    """The columns of context of a text that a first pass has labelled."""
    gather = _gathering(first, scope)
    [found] = [*gather.add(part, part.columns[0], labels), *gather.rest()]
    assert found.context is not None
    return found.context


def _gathering(first: SequenceEstimator, scope: Scope) -> _Window | _Documents:
    votes = Votes(*first.labels.votes())
    return _Window(votes, scope.window) if scope.mode == "window" else _Documents(votes, file=scope.mode == "file")


class _Window:
    """Sentences before a sentence vote about it."""

    def __init__(self, votes: Votes, window: int) -> None:
        self._votes, self._window = votes, window

    def add(self, part: Corpus, words: Column, labels: Ids) -> Iterator[Corpus]:
        before = len(self._votes)
        self._votes.add(words, labels, part.starts)
        yield replace(part, context=self._votes.columns(None, self._window, before))
        self._votes.forget(max(0, len(self._votes) - self._window))

    def rest(self) -> Iterator[Corpus]:
        yield from ()


class _Documents:
    """All sentences of a document vote about each other, so a part waits until its last document is complete."""

    def __init__(self, votes: Votes, *, file: bool) -> None:
        """file: whether the whole input is one document, whatever is marked."""
        self._votes, self._file = votes, file
        self._waiting: list[Corpus] = []
        self._documents = np.empty(0, np.int32)  # document of each sentence in `votes`
        self._answered = 0  # number of these sentences that are in parts already returned

    def add(self, part: Corpus, words: Column, labels: Ids) -> Iterator[Corpus]:
        self._votes.add(words, labels, part.starts)
        self._waiting.append(part)
        unmarked = self._file or part.document is None
        more = np.zeros(len(part), np.int32) if unmarked or part.document is None else part.document
        self._documents = np.concatenate([self._documents, more])
        open_ = np.searchsorted(self._documents, self._documents[-1:])  # where the last document begins
        ends = self._answered + np.cumsum([len(waiting) for waiting in self._waiting])
        complete = int(np.searchsorted(ends, open_[0], side="right")) if len(open_) else 0
        if complete:
            yield from self._answer(complete)

    def _answer(self, number: int) -> Iterator[Corpus]:
        """Returns this number of waiting parts, and drops sentences that do not vote about the others."""
        columns = self._votes.columns(self._documents, 0, self._answered)
        at = 0
        for part in self._waiting[:number]:
            yield replace(part, context=tuple(Column(c.alphabet, c.ids[at : at + part.tokens]) for c in columns))
            at += part.tokens
            self._answered += len(part)
        self._waiting = self._waiting[number:]
        if self._waiting:
            kept = int(np.searchsorted(self._documents, self._documents[self._answered]))
            self._votes.forget(kept)
            self._documents = self._documents[kept:]
            self._answered -= kept

    def rest(self) -> Iterator[Corpus]:
        if self._waiting:
            yield from self._answer(len(self._waiting))
