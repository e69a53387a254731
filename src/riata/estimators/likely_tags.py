"""The tags that a tagger finds likely for each token, as one column of texts (features/likely_tags.py)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riata.confidence.calibration import Calibration, Values, fitted
from riata.data.documents import Indices
from riata.data.types import Column, Corpus, Ids
from riata.features.likely_tags import BETWEEN, DOUBT
from riata.learning.events import Listener
from riata.learning.jackknife import jackknifed, joined_labels

MOST = 4  # tags of a token
# Shares of the best tag's probability: a tag with less is left out, or comes after the sign of doubt.
LEAST, SURE = (0.01, 0.1)
MOST_JUDGED = 500  # sentences that choose a temperature


def likely(tagger: Any, words: Corpus) -> Column:
    """The texts of likely tags. tagger: with a temperature that makes its probabilities believable."""
    return Column.of(_texts(tagger, words))


def _texts(tagger: Any, words: Corpus) -> list[str]:
    if not words.tokens:
        return []
    rows = np.concatenate(tagger.predict_proba(words))
    order = np.argsort(-rows, axis=1, kind="stable")[:, :MOST]
    shares = np.take_along_axis(rows, order, axis=1)
    shares /= shares[:, :1]
    tags = tagger.classes_
    return [
        _text([tags[i] for i in best[:kept]], sure)
        for best, kept, sure in zip(
            order.tolist(), (shares >= LEAST).sum(axis=1).tolist(), (shares >= SURE).sum(axis=1).tolist(), strict=True
        )
    ]


def _text(tags: Sequence[str], sure: int) -> str:
    return BETWEEN.join([*tags[:sure], *([DOUBT] if sure < len(tags) else []), *tags[sure:]])


def believable(tagger: Any, data: Corpus) -> float:
    """Gives a tagger the temperature that suits data that it has not seen, words and tags, and returns it."""
    some, right = data[:MOST_JUDGED], data[:MOST_JUDGED].columns[1].numbered(tagger.classes_)
    words = some.select([0])
    best = tagger.predict_ids(words)

    def judge(temperatures: list[float]) -> Values:
        found = []
        for temperature in temperatures:
            tagger.calibration_ = (Calibration(temperature),)
            rows = np.concatenate(tagger.predict_proba(words))
            found.append(rows[np.arange(len(best)), best])
        return np.array(found)

    calibration = fitted(judge, best == right, "temperature") if some.tokens else Calibration()
    tagger.calibration_ = (calibration,)
    return calibration.temperature


@dataclass
class LikelyApart:
    """The likely tags of sentences, each by a tagger that has not seen it. data: words and tags."""

    data: Corpus
    tagger: Any  # of all data; gets a temperature
    _numbers: dict[str, int] = field(default_factory=dict)
    _temperatures: list[float] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.Lock)

    def column(self, folds: Sequence[Indices], threads: int, tell: Listener) -> Column:
        parts = jackknifed(self.data, folds, self._of_fold, threads, tell, "Taggers")
        ids = joined_labels(folds, [found for _, found in parts], self.data)
        self.tagger.calibration_ = (Calibration(float(np.exp(np.mean(np.log(sorted(self._temperatures)))))),)
        names = list(self._numbers)
        return Column.of([names[i] for i in ids.tolist()])

    def _of_fold(self, learnt: Indices, asked: Indices, listener: Listener) -> Ids:
        one = self.tagger.untrained(threads=1).fit(self.data[learnt], listener=listener)
        temperature = believable(one, self.data[asked])
        texts = _texts(one, self.data[asked].select([0]))
        with self._lock:
            self._temperatures.append(temperature)
            return np.array([self._numbers.setdefault(text, len(self._numbers)) for text in texts], np.int32)
