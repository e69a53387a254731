"""Jackknifing: every sentence is labelled by a model that has learnt neither from it nor from its document."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Corpus, Ids
from riata.errors import DataError
from riata.learning.events import Event, Listener, Note
from riata.parallel import all_done

Indices = NDArray[np.int64]
# Learns from sentences and labels others: (data to learn from, data to label, listener) -> label ids of the tokens.
Labels = Callable[[Indices, Indices, Listener], Ids]
MANY = 20  # more folds than this are warned of: each is a training


class _FoldStoppedError(Exception):
    """Ends a training when another one of the group has failed."""


def blocks(data: Corpus, number: int) -> list[Indices]:
    """The sentences of each fold: neighbours, in parts of nearly equal numbers of tokens; whole documents if they are marked,
    wherever their sentences stand.

    There are fewer folds if there are fewer documents. If there is one document, or none is marked, folds are cut between sentences.
    """
    order, first = _by_document(data)
    number = min(number, len(first))
    if number < 2:
        raise DataError(
            "fewer than two sentences are too few for labels of models that have not seen them.",
            remedy="Give more sentences, or leave out passes=2, tags='own' and tags='joint'.",
            file=data.name,
        )
    tokens = np.concatenate([[0], np.cumsum(np.diff(data.starts)[order])])[first]
    cuts = np.searchsorted(tokens, np.arange(1, number) * data.tokens / number)
    cuts = np.clip(cuts, np.arange(1, number), len(first) - number + np.arange(1, number))  # no fold is empty
    cuts = np.maximum.accumulate(cuts - np.arange(number - 1)) + np.arange(number - 1)
    bounds = [0, *first[cuts].tolist(), len(data)]
    return [np.sort(order[low:high]) for low, high in pairwise(bounds)]


def _by_document(data: Corpus) -> tuple[Indices, Indices]:
    """The sentences with those of a document together, documents in the order of their first sentences; and the places in this order at
    which folds may begin: documents, or all sentences if there are fewer than two documents.
    """
    everything = np.arange(len(data))
    if data.document is None or len(np.unique(data.document)) < 2:
        return everything, everything
    _, first, which = np.unique(data.document, return_index=True, return_inverse=True)
    order = np.argsort(first[which], kind="stable")
    begins = np.flatnonzero(np.diff(data.document[order], prepend=data.document[order[0]] - 1))
    return order, begins


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
    data: Corpus, folds: Sequence[Indices], labels: Labels, threads: int, tell: Listener, called: str = "First pass"
) -> list[tuple[Corpus, Ids]]:
    """The data fold by fold, each with labels of its tokens. threads: number of trainings at once. called: what the models are."""
    stop, everything = threading.Event(), np.arange(len(data))

    def listening(event: Event) -> None:
        if stop.is_set():
            raise _FoldStoppedError

    def one(number: int) -> Ids:
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
