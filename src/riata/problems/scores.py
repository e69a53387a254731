"""Scores of outputs of a problem: by its loss, or by whether they equal the true ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from riata._core import most_value
from riata.errors import DataError, printed
from riata.learning.events import Listener, Note
from riata.problems.problem import Problem, defined


def scores_of(
    problem: Problem, X: Iterable[Any], Y: Iterable[Any], predicted: Iterable[Any], tell: Listener
) -> list[float]:
    """The score of every prediction: 1 - its loss, or whether it is exactly right."""
    rows = zip(X, Y, predicted, strict=True)
    if "loss" in defined(problem):
        return [1 - _finite(problem.loss(x, y, y_hat)) for x, y, y_hat in rows]
    outputs = [(y, y_hat) for _, y, y_hat in rows]
    scores = [float(equal(y, y_hat)) for y, y_hat in outputs]
    if not any(scores):
        _tell_types(outputs, tell)
    return scores


def equal(y: Any, y_hat: Any) -> bool:
    """Equality that does not tell lists, tuples and arrays from each other."""
    if isinstance(y, np.ndarray) or isinstance(y_hat, np.ndarray):
        return bool(np.array_equal(y, y_hat))
    sequences = isinstance(y, (list, tuple)) and isinstance(y_hat, (list, tuple))
    return bool(list(y) == list(y_hat) if sequences else y == y_hat)


def as_number(value: Any) -> float:
    """What a method returned as a number; nan where it is none. A text is none, as it is none for the core."""
    try:
        return math.nan if isinstance(value, (str, bytes, bytearray)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _finite(loss: Any) -> float:
    number = as_number(loss)
    if not abs(number) <= most_value:
        raise DataError(f"loss returned {printed(loss):.100}; expected a finite number up to {most_value:g}.")
    return number


def _tell_types(outputs: list[tuple[Any, Any]], tell: Listener) -> None:
    """Where no output can equal the truth, since they are of different kinds."""
    lists = (list, tuple, np.ndarray)
    kinds = {tuple(list if isinstance(each, lists) else type(each) for each in pair) for pair in outputs}
    if len(kinds) == 1 and len(set(*kinds)) == 2:
        y, y_hat = (kind.__name__ for kind in next(iter(kinds)))
        text = f"no output equals the truth: outputs are of type {y_hat!r}, true outputs of type {y!r}."
        tell(Note(f"{text}\n  Let output(x, s, path) return what Y holds, or define loss(x, y, y_hat).", warning=True))
