"""Jackknifing: every sentence is labelled by a model that has learnt neither from it nor from its document."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from riata.data.documents import Indices, blocks
from riata.data.types import Corpus, Ids
from riata.learning.events import Event, Listener, Note
from riata.parallel import all_done

T = TypeVar("T")
# Learns from sentences and labels others: (data to learn from, data to label, listener) -> their labels, such as ids of the tokens.
Labels = Callable[[Indices, Indices, Listener], T]
MANY = 20  # more folds than this are warned of: each is a training


class _FoldStoppedError(Exception):
    """Ends a training when another one of the group has failed."""


def folds_of(data: Corpus, number: int, tell: Listener, called: str = "the first pass") -> list[Indices]:
    """The sentences of each fold, as `blocks` deals them. Tells of fewer folds than were asked for, and warns of many.

    called: what the models of the folds are.
    """
    folds = blocks(data, number)
    if len(folds) < number:
        what = "sentences" if len(folds) == len(data) else "documents"
        tell(Note(f"There are only {len(folds)} {what}, so there are {len(folds)} folds of {called}, not {number}."))
    if len(folds) > MANY:
        text = f"With {len(folds):,} folds of {called}, there are {len(folds) + 1:,} trainings. Few folds are enough: 5 is the default."
        tell(Note(text, warning=True))
    return folds


def jackknifed(
    data: Corpus, folds: Sequence[Indices], labels: Labels[T], threads: int, tell: Listener, called: str = "First pass"
) -> list[tuple[Corpus, T]]:
    """The data fold by fold, each with its labels. threads: number of trainings at once. called: what the models are."""
    stop, everything = threading.Event(), np.arange(len(data))

    def listening(event: Event) -> None:
        if stop.is_set():
            raise _FoldStoppedError

    def one(number: int) -> T:
        fold = folds[number]
        found = labels(np.setdiff1d(everything, fold), fold, listening)
        tell(
            Note(
                f"{called}, fold {number + 1} of {len(folds)}: {len(fold):,} sentences are labelled by a model of the others."
            )
        )
        return found

    found = all_done(one, range(len(folds)), threads, stop.set)
    return [(data[part], labels_) for part, labels_ in zip(folds, found, strict=True)]


def joined_labels(folds: Sequence[Indices], labels: Sequence[Ids], data: Corpus) -> Ids:
    """The labels of all tokens of the data, in their order. labels: of the tokens of each fold."""
    out = np.empty(data.tokens, np.int32)
    for fold, found in zip(folds, labels, strict=True):
        out[np.concatenate([np.arange(data.starts[s], data.starts[s + 1]) for s in fold.tolist()])] = found
    return out
