"""What contestants share: data, the clock, and the one JSON line each prints."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import riata
from riata.data.types import Corpus
from riata.measuring.cost import peak_mb
from riata.scoring.evaluation import evaluate, with_labels_of


@dataclass(frozen=True)
class Split:
    """Training data, and what is scored: development data, or test data where --final is given."""

    train: Corpus
    scored: Corpus


def conll2000(final: bool) -> Split:
    train = riata.load("conll2000", "train")
    if final:
        return Split(train, riata.load("conll2000", "test"))
    held_out = len(train) // 10
    return Split(train[:-held_out], train[-held_out:])


def by_splits(name: str, dev: str, test: str) -> Callable[[bool], Split]:
    return lambda final: Split(riata.load(name, "train"), riata.load(name, test if final else dev))


def run(
    data: Callable[[bool], Split], contestant: Callable[[Split], tuple[list[list[str]], dict[str, float]]], chunks: bool
) -> None:
    """Scores a contestant and prints one JSON object. The contestant returns its labels and its times."""
    split = data("--final" in sys.argv)
    labels, facts = contestant(split)
    report(split, **scores(split.scored, labels, chunks), **facts)


def report(split: Split, **facts: Any) -> None:
    """Prints the one JSON object: these facts, and the size of the data and the memory."""
    sizes = {"tokens_train": split.train.tokens, "tokens_scored": split.scored.tokens, "peak_mb": peak_mb()}
    print(json.dumps({**facts, **sizes}))


def metrics_of(evaluation: Any) -> dict[str, Any]:
    """Metrics, and the interval of the main one."""
    interval = evaluation.interval()
    return {"metrics": evaluation.metrics, "interval": [interval.low, interval.high]}


def scores(scored: Corpus, labels: list[list[str]], chunks: bool) -> dict[str, Any]:
    """The metrics of these labels."""
    known, gold = with_labels_of(scored.columns[-1], sorted({label for sentence in labels for label in sentence}))
    at = {label: i for i, label in enumerate(known)}
    predicted = np.array([at[label] for sentence in labels for label in sentence], np.int32)
    return metrics_of(evaluate(known, gold, predicted, scored.starts, chunks=chunks))


def run_joint(make: Callable[[int], Any], seeds: int) -> None:
    """The same of a JointTagger over several seeds.

    Its first metrics and times are told, and of all the F1 of chunks, of noun phrases, and tags.
    """
    split = conll2000("--final" in sys.argv)
    every, times, first = [], [], None
    for seed in range(seeds):
        estimator, seconds = timed(lambda seed=seed: make(seed).fit(split.train))
        times.append(seconds)
        every.append(estimator.evaluate(split.scored))
        first = first or estimator
    _, decode = timed(lambda: first.predict(split.scored))
    report(
        split,
        **metrics_of(every[0]),
        scores=[one.score for one in every],
        noun_phrases=[next(row.f1 for row in one.report.rows if row.type == "NP") for one in every],
        tags=[one.metrics["tag_accuracy"] for one in every],
        seconds_train=min(times),
        seconds_decode=decode,
    )


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the CPU seconds it took."""
    began = time.process_time()
    result = action()
    return result, time.process_time() - began


def riata_contestant(
    make: Callable[[int], Any], seeds: int
) -> Callable[[Split], tuple[list[list[str]], dict[str, Any]]]:
    """An estimator over several seeds; the labels of the first are scored, the scores of all are told."""

    def contest(split: Split) -> tuple[list[list[str]], dict[str, Any]]:
        scores, times, first = [], [], None
        for seed in range(seeds):
            estimator, seconds = timed(lambda seed=seed: make(seed).fit(split.train))
            times.append(seconds)
            scores.append(100 * estimator.score(split.scored))
            first = first or estimator
        labels, decode = timed(lambda: first.predict(split.scored))
        return labels, {"scores": scores, "seconds_train": min(times), "seconds_decode": decode}

    return contest
