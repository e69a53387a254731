"""Taggers of an estimator's own, and the tags that they give to sentences which they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riata import registry
from riata.data.texts import interned
from riata.data.types import Column, Corpus, Ids
from riata.estimators.likely_tags import LikelyApart
from riata.inference.structures.chain import ALIKE
from riata.learning.dictionary import NAME as DICTIONARY
from riata.learning.events import Listener
from riata.learning.jackknife import Indices, jackknifed, joined_labels
from riata.models.header import TAGGER

MANY = 250  # tags, above which words get only tags of words like them
RICH = 10_000  # tokens, above which n-grams seen once are left out
EPOCHS = 10


def new_tagger(data: Corpus, *, seed: int, threads: int | None) -> Any:
    """A tagger that learns in a short time, also where there are hundreds of tags. data: words and tags."""
    return registry.get("task", TAGGER).estimator(
        epochs=EPOCHS,
        cutoff=2 if data.tokens > RICH else 1,
        settings={DICTIONARY: ALIKE} if len(data.columns[1].used()) > MANY else None,
        seed=seed,
        threads=threads,
        check_input=False,
        calibrated=False,
    )


def tags_apart(
    tagger: Any, data: Corpus, folds: Sequence[Indices], threads: int, tell: Listener, *, likely: bool
) -> Column:
    """The tags of words, or all likely ones, each by a tagger that has not seen the sentence. tagger: of all data, words and tags."""
    if likely:
        return LikelyApart(data, tagger).column(folds, threads, tell)

    def labels(learnt: Indices, asked: Indices, listener: Listener) -> Ids:
        one = tagger.untrained(threads=1).fit(data[learnt], listener=listener)
        table = np.array([tagger.classes_.index(text) for text in one.classes_], np.int32)
        return np.asarray(table[one.predict_ids(data[asked].select([0]))])

    parts = jackknifed(data, folds, labels, threads, tell, "Taggers")
    return Column(interned(tagger.classes_)[0], joined_labels(folds, [found for _, found in parts], data))
