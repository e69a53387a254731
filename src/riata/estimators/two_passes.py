"""Learning in two passes: a first model, jackknifed, whose labels the second model reads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.choosing.constraints import AFTER
from riata.choosing.options import Options, choice_of
from riata.choosing.passes import ONE_PASS, check_data
from riata.choosing.sample_weight import sentence_weights
from riata.data.documents import Indices
from riata.data.memory import as_corpus, joined
from riata.data.types import Column, Corpus, Ids
from riata.features.context import Votes
from riata.features.templates import ADDED, Scope, functions, language_of, names
from riata.learning.development import parted
from riata.learning.events import Event, Listener, Note, ignore
from riata.learning.jackknife import folds_of, jackknifed
from riata.learning.labels import weights_in
from riata.parallel import cores

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator


@dataclass(frozen=True, eq=False)
class FirstPass:
    """A first model, and everything from which the second is learnt."""

    model: Any  # an estimator of one pass
    scope: Scope
    data: Corpus  # with columns of context before its output
    options: Options
    seconds: float  # time of training the first model alone

    def tell_price(self, seconds: float, tell: Listener) -> None:
        """Reports the time of two passes. seconds: of all trainings."""
        if self.seconds > 0:
            tell(Note(f"Two passes took {seconds / self.seconds:.1f} times as long as the first alone."))


def once(tell: Listener) -> Listener:
    """A listener that reports each note once, since both passes have the same data."""
    told: set[str] = set()

    def listener(event: Event) -> None:
        if not isinstance(event, Note) or event.text not in told:
            told.update([event.text] if isinstance(event, Note) else [])
            tell(event)

    return listener


def first_pass(estimator: SequenceEstimator, options: Options, data: Corpus, weights: Any, tell: Listener) -> FirstPass:
    """data: with the output as the last column, as it is written. weights: of sentences, or None."""
    check_data(data, estimator.outputs)
    given = None if weights is None else sentence_weights(weights, len(data))
    mode = options.passes.context or ("window" if data.document is None else "document")
    scope = Scope(mode, options.passes.window)
    train, dev = _split(data, options.dev)
    folds = [] if options.passes.folds == 1 else folds_of(train, options.passes.folds, tell)
    again_too = dev is not None and options.refit
    number = len(folds) + 2 * (1 + again_too)
    tell(
        Note(f"First of two passes, of {number:,} trainings. The second will read labels of the {_told_about(scope)}.")
    )
    began = time.perf_counter()
    share = isinstance(options.dev, (int, float))  # of the data, which the first model holds out as the second does
    one = _one_pass(estimator, options, options.dev if share else dev).fit(data, sample_weight=given, listener=tell)
    seconds = time.perf_counter() - began
    again = _again(one, options)
    # Every step uses all data: threads share its work; otherwise the folds share the threads.
    whole = choice_of(one).recipe.whole

    def labels(learnt: Indices, asked: Indices, listener: Listener) -> Ids:
        part = train[learnt]
        model = again.untrained(class_weight=weights_in(part, estimator.class_weight, data))
        model.set_params(**({} if whole else {"threads": 1}))
        model.fit(part, sample_weight=None if given is None else given[learnt], listener=listener)
        table = np.array([one.classes_.index(text) for text in model.classes_], np.int32)
        return np.asarray(table[model.predict_ids(train[asked])])

    threads = 1 if whole else options.threads or cores()
    parts = jackknifed(train, folds, labels, threads, tell) if folds else [(train, one.predict_ids(train))]
    tell(Note("Second of two passes."))
    added = names(chunks=estimator.chunks)
    known = {**options.functions, **functions(added)}
    options = replace(options, added=added, functions=known)
    if dev is not None:
        held_out = [(dev, one.predict_ids(dev))]  # labelled by a model that has not learnt from them
        if share:
            parts += held_out
        else:
            options = replace(options, dev=_in_context(dev, held_out, one, scope))
    context = _in_context(data, parts, one, scope)
    if again_too:
        assert dev is not None
        everything = data if share else joined(train, dev)
        tell(Note("First pass again, on all data."))
        one = _trained_again(again.untrained(class_weight=estimator.class_weight), one, everything, given)
    return FirstPass(one, scope, context, options, seconds)


def _split(data: Corpus, dev: float | Corpus | None) -> tuple[Corpus, Corpus | None]:
    """The data to train on, and the development data: the part of the data that the second pass also holds out, or separate data."""
    if dev is None:
        return data, None
    return parted(data, float(dev), ignore) if isinstance(dev, (int, float)) else (data, as_corpus(dev))


def _padded(weights: NDArray[Any] | None, number: int) -> NDArray[Any] | None:
    """Weights of sentences; 1 for sentences of development data, which have no weights."""
    return None if weights is None else np.concatenate([weights, np.ones(number - len(weights))])


def _told_about(scope: Scope) -> str:
    return {"window": f"{scope.window:,} sentences before", "document": "whole document", "file": "whole input"}[
        scope.mode
    ]


def _one_pass(estimator: SequenceEstimator, options: Options, dev: float | Corpus | None) -> Any:
    """The untrained estimator of the first pass: with the recipe of the second, or another recipe with its own defaults.

    It does not learn from development data, so that their labels come from a model that has not seen them.
    """
    params: dict[str, Any] = {
        **vars(ONE_PASS),
        "constraints": None,
        "inference": AFTER,
        "dev": dev,
        "refit": False,
        "check_input": False,  # the second pass does,
        "calibrated": False,  # and is what confidences are asked of
        "template": options.first_template(),
    }
    recipe = options.passes.first
    if recipe not in (None, options.choice.recipe.name):
        params |= dict.fromkeys(("structure", "queue", "beam", "epochs", "settings"))
        params["recipe"] = recipe
        structure = choice_of(estimator.untrained(**params)).structure.name
        if language_of(structure) is not language_of(options.choice.structure.name):
            params["template"] = None
    return estimator.untrained(**params)


def _again(one: Any, options: Options) -> Any:
    """An estimator that learns as the first model did, without separate development data."""
    params: dict[str, Any] = {"dev": None, "patience": None, "refit": False, "encoding": one.encoding_ or "auto"}
    if options.dev is not None:
        params["epochs"] = one.best_epoch_
    chosen = one.facts_.get("chosen", {})
    if chosen:
        params["settings"] = {**(one.settings or {}), **chosen}
    return one.untrained(**params)


def _trained_again(again: Any, one: Any, data: Corpus, weights: NDArray[Any] | None) -> Any:
    """The first model, trained on all data with the settings that were chosen on a part of them."""
    made = again.fit(data, sample_weight=_padded(weights, len(data)), listener=ignore)
    made.facts_ |= {"chosen": found} if (found := one.facts_.get("chosen")) else {}
    return made


def _in_context(data: Corpus, parts: Sequence[tuple[Corpus, Ids]], one: Any, scope: Scope) -> Corpus:
    """The data with columns of context before the output. parts: of the data, each with labels.

    Sentences vote only within their part, as in a file that one model has labelled. Labels of different models would share fewer errors
    than those of one file, and each model knows the words of other parts from their gold labels.
    """
    columns = [told(part, labels, one, scope) for part, labels in parts]
    ids = [np.concatenate([column.ids for column in same]) for same in zip(*columns, strict=True)]
    context = [Column(column.alphabet, found) for column, found in zip(columns[0], ids, strict=True)]
    inputs = data.width - one.outputs
    found = followed(data.select(range(inputs)), context)
    return replace(
        found, columns=(*found.columns, *data.columns[inputs:]), origin=(*found.origins, *data.origins[inputs:])
    )


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
