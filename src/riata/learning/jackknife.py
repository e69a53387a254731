"""Jackknifing: every sentence is labelled by a model that has learnt neither from it nor from its document."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from riata.data.documents import bounds_of
from riata.data.types import Corpus, Ids
from riata.errors import DataError
from riata.learning.events import Event, Listener, Note
from riata.parallel import all_done

Indices = NDArray[np.int64]
# Learns from sentences and labels others: (data to learn from, data to label, listener) -> label ids of the tokens.
Labels = Callable[[Indices, Indices, Listener], Ids]


class _StoppedError(Exception):
    """Ends a training when another one of the group has failed."""


def blocks(data: Corpus, number: int) -> list[Indices]:
    """The sentences of each fold: neighbours, in parts of nearly equal numbers of tokens; whole documents if they are marked.

    There are fewer folds if there are fewer documents. If there is one document, or none is marked, folds are cut between sentences.
    """
    first = _first_sentences(data)
    number = min(number, len(first))
    if number < 2:
        raise DataError("one sentence is too little for two passes.", remedy="Leave out passes.", file=data.name)
    tokens = data.starts[first]
    cuts = np.searchsorted(tokens, np.arange(1, number) * data.tokens / number)
    cuts = np.clip(cuts, np.arange(1, number), len(first) - number + np.arange(1, number))  # no fold is empty
    cuts = np.maximum.accumulate(cuts - np.arange(number - 1)) + np.arange(number - 1)
    bounds = [0, *first[cuts].tolist(), len(data)]
    return [np.arange(low, high) for low, high in pairwise(bounds)]


def _first_sentences(data: Corpus) -> Indices:
    """First sentences of documents, or all sentences if there are fewer than two documents."""
    between = [] if data.document is None else list(bounds_of(data.document).between)
    return np.array([0, *between]) if between else np.arange(len(data))


def jackknifed(data: Corpus, folds: int, labels: Labels, threads: int, tell: Listener) -> list[tuple[Corpus, Ids]]:
    """The data fold by fold, each with labels of its tokens. threads: number of trainings at once."""
    stop, everything = threading.Event(), np.arange(len(data))

    def heard(event: Event) -> None:
        if stop.is_set():
            raise _StoppedError

    parts = blocks(data, folds)
    what = "sentences" if len(parts) == len(data) else "documents"
    if len(parts) < folds:
        tell(Note(f"There are only {len(parts)} {what}, so the first pass has {len(parts)} folds, not {folds}."))

    def one(number: int) -> Ids:
        fold = parts[number]
        found = labels(np.setdiff1d(everything, fold), fold, heard)
        tell(
            Note(
                f"First pass, fold {number + 1} of {len(parts)}: {len(fold):,} sentences are labelled by a model of the others."
            )
        )
        return found

    found = all_done(one, range(len(parts)), threads, stop.set)
    return [(data[part], labels_) for part, labels_ in zip(parts, found, strict=True)]
