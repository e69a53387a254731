"""Chunks chosen from lists: what jack-knifing brings, and what measures of outputs bring."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np

from papers.tasks import Trial
from riata.data.datasets import load
from riata.data.types import Corpus
from riata.learning.events import ignore
from riata.reranking.features import default_sets, feature_sets
from riata.reranking.lists import BestOutputs, best_outputs, jackknifed_lists
from riata.reranking.ranked import choice, ranked
from riata.reranking.report import base_and_oracle
from riata.scoring.figures import Sample
from riata.tasks.chunk import Chunker
from riata.tasks.rerank import Reranker

COLUMNS = ["word", "tag", "chunk"]
NBEST, FOLDS = 20, 5
FEATURES = default_sets(chunks=True, trees=False)


@lru_cache(maxsize=32)
def _data(seed: int, quick: bool, final: bool) -> tuple[Corpus, Corpus]:
    """What is learnt from, and what is scored: test data, or another tenth of the training data with every seed."""
    if quick:
        return load("embedded", "train", COLUMNS)[:80], load("embedded", "test", COLUMNS)[:40]
    data = load("conll2000", "train", COLUMNS)
    if final:
        return data, load("conll2000", "test", COLUMNS)
    low, high = len(data) * (9 - seed % 10) // 10, len(data) * (10 - seed % 10) // 10
    return data[[*range(low), *range(high, len(data))]], data[low:high]


@lru_cache(maxsize=32)
def _base(seed: int, quick: bool, final: bool) -> Any:
    return Chunker("crf", c2=1, threads=1).fit(_data(seed, quick, final)[0], listener=ignore)


@lru_cache(maxsize=32)
def _lists(seed: int, quick: bool, final: bool, folds: int) -> tuple[tuple[BestOutputs, ...], float]:
    """Lists of what is learnt from, and CPU seconds of one thread for all trainings."""
    began = time.thread_time()
    train = _data(seed, quick, final)[0]
    _, found = jackknifed_lists(_base(seed, quick, final), train, NBEST, folds, 1, ignore)
    return tuple(found), time.thread_time() - began


def trial(asked: Trial) -> dict[str, Sample]:
    """F1 with its sentences, that of the base and of the best outputs, and CPU seconds for lists and for learning. The row's setting:
    folds, and parameters of the reranker; empty: the base alone.
    """
    of = (asked.seed, asked.quick, asked.final)
    asked.tell("the base")
    base, scored = _base(*of), _data(*of)[1]
    if not asked.setting:
        return _measured(base, best_outputs(base, scored, NBEST), scored, 0.0, 0.0)
    setting = dict(asked.setting)
    asked.tell("lists")
    lists, seconds = _lists(*of, setting.pop("folds", FOLDS))
    began = time.thread_time()
    made = Reranker(None, features=FEATURES, seed=asked.seed, threads=1, **setting)
    sets = feature_sets(FEATURES)
    made.learn_from([one for found in lists for one in found.listed(sets, found.losses(made.measure))])
    estimator = ranked(base, made.ranker_, made)
    return _measured(estimator, choice(estimator, scored).lists, scored, seconds, time.thread_time() - began)


def _measured(estimator: Any, lists: BestOutputs, scored: Corpus, listing: float, learning: float) -> dict[str, Sample]:
    evaluation = estimator.evaluate(scored)
    whole = 100 * float(np.mean(evaluation.errors() == 0))
    return {
        "f1": Sample.of(evaluation),
        "whole": Sample(whole),
        "oracle": Sample(base_and_oracle(lists)["oracle"]),
        "seconds_lists": Sample(listing),
        "seconds_train": Sample(learning),
    }
