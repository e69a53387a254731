"""What is measured of one training: counts per sentence that any score can be made of, times, memory, sizes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from riata.choosing.options import choice_of
from riata.estimators.model_file import to_bytes
from riata.learning.events import Listener
from riata.models.weights_by_name import by_name
from riata.problems.predictor import Predictor

Result = Mapping[str, Any]  # as JSON keeps it
EXAMPLE_SCORE = "score"  # the main score of problems: the mean over examples


class _Clock:
    """Wall time and processor time, of all threads, since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._wall, time.process_time() - self._cpu


def measured(
    estimator: Any, train: Any, test: Any, listener: Listener, peak: Callable[[], float | None] = lambda: None
) -> dict[str, Any]:
    """Trains and scores. peak: the memory so far in MB, where it is this training's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the data deserve was told before
        measure = _problem if isinstance(estimator, Predictor) else _sequences
        return measure(estimator, train, test, listener, peak)


def _sequences(
    estimator: Any, train: Any, test: Any, listener: Listener, peak: Callable[[], float | None]
) -> dict[str, Any]:
    clock = _Clock()
    estimator.fit(train, listener=listener)
    training = clock.read()
    clock = _Clock()
    estimator.prepare()
    preparing, _ = clock.read()
    clock = _Clock()
    predicted = estimator.predict_ids(test)
    decoding = clock.read()
    memory = peak()
    evaluation = estimator.evaluate(test, predicted=predicted)
    choice = choice_of(estimator, training=False)
    return {
        "recipe": choice.recipe.name,
        "structure": choice.structure.name,
        "queue": choice.queue,
        **_costs(training, decoding, memory, estimator, by_name(estimator.model_).count()),
        "seconds_prepare": preparing,
        "tokens": test.tokens,
        "best_epoch": estimator.best_epoch_,
        "main": evaluation.main,
        "metrics": evaluation.metrics,
        "counts": evaluation.rows.tolist(),
        "errors": estimator.search_errors(test, predicted=predicted).counts,
    }


def _problem(
    estimator: Any, train: Any, test: Any, listener: Listener, peak: Callable[[], float | None]
) -> dict[str, Any]:
    clock = _Clock()
    estimator.fit(train.inputs, train.outputs)
    training = clock.read()
    clock = _Clock()
    predicted = estimator.predict(test.inputs)
    decoding = clock.read()
    memory = peak()
    scores = estimator.scores_of(test.inputs, test.outputs, predicted)
    return {
        "recipe": estimator.recipe,
        "structure": type(estimator.problem).__name__,
        "queue": estimator.queue or "beam",
        **_costs(training, decoding, memory, estimator, len(estimator.weights())),
        "seconds_prepare": 0.0,
        "tokens": len(test),
        "best_epoch": estimator.epochs,
        "main": EXAMPLE_SCORE,
        "metrics": {EXAMPLE_SCORE: 100 * float(np.mean(scores))},
        "counts": [[score, 1.0] for score in scores],
        "errors": estimator.search_errors(test.inputs, test.outputs).counts,
    }


def _costs(
    training: tuple[float, float],
    decoding: tuple[float, float],
    memory: float | None,
    estimator: Any,
    weights: int,
) -> dict[str, Any]:
    return {
        "seconds_train": training[0],
        "cpu_train": training[1],
        "seconds_decode": decoding[0],
        "cpu_decode": decoding[1],
        "peak_rss_mb": memory,
        "model_mb": _size(estimator),
        "weights": weights,
    }


def _size(estimator: Any) -> float | None:
    """Of the model file in MB; None for a problem whose actions no file can hold."""
    from riata.errors import RiataError

    try:
        return len(to_bytes(estimator)) / 1e6
    except RiataError:
        return None
