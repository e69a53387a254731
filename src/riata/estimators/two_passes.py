"""Learning in two passes: a first model, jackknifed, whose labels the second model reads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.choosing.options import Options, choice_of
from riata.choosing.passes import ONE_PASS, check_data
from riata.choosing.preference import recipe_name
from riata.data.memory import as_corpus
from riata.data.types import Column, Corpus, Ids
from riata.estimators.in_context import followed
from riata.features.context import Scope, Votes, functions, names
from riata.features.language import language_of
from riata.learning.batch import prior
from riata.learning.events import Event, Listener, Note
from riata.learning.jackknife import Indices, jackknifed
from riata.parallel import cores

if TYPE_CHECKING:
    from riata.estimators.fitting import Fitting


@dataclass(frozen=True, eq=False)
class FirstPass:
    """A first model, and all that the second is learnt from."""

    model: Any  # an estimator of one pass
    scope: Scope
    data: Corpus  # with columns of context before its output
    options: Options
    seconds: float  # that the first model alone took

    def tell_price(self, seconds: float, tell: Listener) -> None:
        """seconds: of all trainings."""
        if self.seconds > 0:
            tell(Note(f"Two passes took {seconds / self.seconds:.1f} times as long as the first alone."))


def once(tell: Listener) -> Listener:
    """Tells the same note once: both passes have the same data."""
    told: set[str] = set()

    def listener(event: Event) -> None:
        if not isinstance(event, Note) or event.text not in told:
            told.update([event.text] if isinstance(event, Note) else [])
            tell(event)

    return listener


def first_pass(estimator: Fitting, options: Options, data: Corpus, weights: Any, tell: Listener) -> FirstPass:
    """data: with the output as the last column, as it is written. weights: of sentences, or None."""
    check_data(data)
    mode = options.passes.context or ("window" if data.document is None else "document")
    scope = Scope(mode, options.passes.window)
    tell(Note(f"First of two passes. The second will read labels of the {_told_about(scope)}."))
    began = time.perf_counter()
    one = _one_pass(estimator, options)
    one.fit(data, sample_weight=weights, listener=tell)
    seconds = time.perf_counter() - began
    fold = _of_a_fold(one, options)

    def labels(learnt: Indices, asked: Indices, listener: Listener) -> Ids:
        model = fold.untrained()
        model.fit(
            data[learnt], sample_weight=None if weights is None else np.asarray(weights)[learnt], listener=listener
        )
        table = np.array([one.classes_.index(text) for text in model.classes_], np.int32)
        return np.asarray(table[model.predict_ids(data[asked])])

    threads = 1 if _is_whole(one) else options.threads or cores()
    folds = options.passes.folds
    parts = [(data, one.predict_ids(data))] if folds == 1 else jackknifed(data, folds, labels, threads, tell)
    tell(Note("Second of two passes."))
    added = names(chunks=estimator.chunks)
    known = {**options.functions, **functions(added)}
    options = replace(options, added=added, functions=known, settings=_settled(one, options))
    if options.dev is not None and not isinstance(options.dev, (int, float)):
        dev = as_corpus(options.dev)
        options = replace(options, dev=_in_context(dev, [(dev, one.predict_ids(dev))], one, scope))
    return FirstPass(one, scope, _in_context(data, parts, one, scope), options, seconds)


def _told_about(scope: Scope) -> str:
    return {"window": f"{scope.window:,} sentences before", "document": "whole document", "file": "whole input"}[
        scope.mode
    ]


def _one_pass(estimator: Fitting, options: Options) -> Any:
    """The untrained estimator of the first pass: that of the second, or another recipe with its own defaults."""
    params: dict[str, Any] = {**vars(ONE_PASS), "dev": options.dev, "template": options.first_template()}
    recipe = options.passes.first
    if recipe not in (None, options.choice.recipe.name):
        params |= dict.fromkeys(("structure", "queue", "beam", "epochs", "settings"))
        params["recipe"] = recipe
        structure = choice_of(estimator.untrained(**params)).structure.name
        if language_of(structure) is not language_of(options.choice.structure.name):
            params["template"] = None
    return estimator.untrained(**params)


def _is_whole(estimator: Any) -> bool:
    """Whether every step of the training looks at all data, so that threads share its work."""
    return choice_of(estimator).recipe.whole


def _of_a_fold(one: Any, options: Options) -> Any:
    """An estimator that learns as the first model did, without development data of its own."""
    params: dict[str, Any] = {"dev": None, "patience": None, "refit": False, "encoding": one.encoding_ or "auto"}
    if options.dev is not None:
        params["epochs"] = one.best_epoch_
    chosen = one.facts_.get("chosen", {})
    if chosen:
        params["settings"] = {**(one.settings or {}), **chosen}
    if not _is_whole(one):
        params["threads"] = 1  # the folds have the threads
    return one.untrained(**params)


def _settled(one: Any, options: Options) -> dict[str, Any]:
    """The settings with what held-out data chose for the first model, where that is of the same recipe."""
    chosen = one.facts_.get("chosen", {}) if recipe_name(one) == options.choice.recipe.name else {}
    return {**options.settings, **chosen} if prior.is_open(options.settings) else dict(options.settings)


def _in_context(data: Corpus, parts: Sequence[tuple[Corpus, Ids]], one: Any, scope: Scope) -> Corpus:
    """The data with columns of context before the output. parts: of the data, each with labels.

    Sentences of one part tell about each other, as in a file that one model has labelled. Labels of different models would agree
    less in their errors than those of a file do, and a model knows the words of other parts from their gold labels.
    """
    columns = [_columns(part, labels, one, scope) for part, labels in parts]
    ids = [np.concatenate([column.ids for column in same]) for same in zip(*columns, strict=True)]
    context = [Column(column.alphabet, found) for column, found in zip(columns[0], ids, strict=True)]
    found = followed(data.select(range(data.width - 1)), context)
    return replace(found, columns=(*found.columns, data.columns[-1]), origin=(*found.origins, data.origins[-1]))


def _columns(part: Corpus, labels: Ids, one: Any, scope: Scope) -> tuple[Column, ...]:
    votes = Votes(one.classes_, one.chunks)
    votes.add(part.columns[0], labels, part.starts)
    whole = np.zeros(len(part), np.int32)
    groups = whole if scope.mode == "file" or part.document is None else part.document
    return votes.columns(None if scope.mode == "window" else groups, scope.window)
