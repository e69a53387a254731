"""The outputs that a search by levels ends with, their scores, and how probable they are among all paths that it kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from riata._core import ProblemModel, most_value
from riata.errors import DataError, SettingError, printed
from riata.learning.events import Listener, Note
from riata.problems.problem import Problem, defined, overrides
from riata.settings import Setting

TEMPERATURE = Setting("temperature", 1.0, "scores are divided by it", low=1e-6, high=1e6)

REMEDY = "Let output(x, s, path) return what Y holds, or define loss(x, y, y_hat)."

Valued = list[tuple[Any, float]]  # outputs, each with a number


def ranked(model: ProblemModel, problem: Problem, inputs: list[Any], settings: Mapping[str, Any]) -> list[Valued]:
    """Of every input the different outputs of the last front with their scores, best first."""
    found = model.nbest(problem, defined(problem), inputs, dict(settings))
    return [
        [(output, numbers[0]) for output, numbers in _grouped(_outputs(problem, x, goals))]
        for x, goals in zip(inputs, found, strict=True)
    ]


def shares_of(
    model: ProblemModel, problem: Problem, inputs: list[Any], settings: Mapping[str, Any], temperature: Any
) -> list[tuple[Valued, list[float]]]:
    """Of every input the outputs of the last front with the probability of their paths, best first, and that of each step of the first."""
    try:
        at = float(TEMPERATURE.parse(temperature))
    except SettingError:
        raise SettingError(f"temperature is {printed(temperature)}; expected {TEMPERATURE.expected()}.") from None
    found = model.confidences(problem, defined(problem), inputs, dict(settings), at)
    return [(_outputs(problem, x, goals), steps) for x, (goals, steps) in zip(inputs, found, strict=True)]


def most_probable(goals: Valued, *, first_only: bool = False) -> Valued:
    """Different outputs, each with the sum over its paths, the most probable first; first_only: that of the first goal alone.

    The first stays the first: it is what the search returns, though others may be more probable by several paths.
    """
    sums = [(output, min(sum(numbers), 1.0)) for output, numbers in _grouped(goals)]
    return sums[:1] if first_only else [sums[0], *sorted(sums[1:], key=lambda entry: -entry[1])]


def _outputs(problem: Problem, x: Any, goals: Sequence[tuple[list[Any], Any, float]]) -> Valued:
    return [(problem.output(x, s, path), number) for path, s, number in goals]


def _grouped(goals: Valued) -> list[tuple[Any, list[float]]]:
    """Different outputs, in the order in which they come first, with the numbers of all that equal them."""
    found: list[tuple[Any, list[float]]] = []
    for output, number in goals:
        same = next((numbers for other, numbers in found if _same(other, output)), None)
        if same is None:
            found.append((output, [number]))
        else:
            same.append(number)
    return found


def _same(a: Any, b: Any) -> bool:
    try:
        return equal(a, b)
    except Exception:  # nothing that can be compared, as arrays within tuples: they count as different
        return False


def scores_of(
    problem: Problem, X: Iterable[Any], Y: Iterable[Any], predicted: Iterable[Any], tell: Listener
) -> list[float]:
    """The score of every prediction: 1 - its loss, or whether it is exactly right."""
    rows = list(zip(X, Y, predicted, strict=True))
    if "loss" in defined(problem):
        return [1 - _finite(problem.loss(x, y, y_hat)) for x, y, y_hat in rows]
    outputs = [(y, y_hat) for _, y, y_hat in rows]
    scores = [float(equal(y, y_hat)) for y, y_hat in outputs]
    if not any(scores) and not _tell_types(outputs, tell) and any(_right_by_regret(problem, *row) for row in rows):
        text = "no output equals the truth, although the regret of some is 0: outputs are lists of actions, and true outputs are not."
        tell(Note(f"{text}\n  {REMEDY}", warning=True))
    return scores


def _right_by_regret(problem: Problem, x: Any, y: Any, path: Any) -> bool:
    """Whether an output, which is a list of actions, leads to a goal without regret."""
    if overrides(problem, "output") or not overrides(problem, "regret"):
        return False
    try:
        s = problem.initial(x)
        for a in path:
            s = problem.apply(x, s, a)
        return bool(problem.is_goal(x, s) and problem.regret(x, s, y) == 0)
    except Exception:  # outputs that are none of the problem's, which users may have scored
        return False


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
        raise DataError(f"loss returned {printed(loss):.100}; expected a finite number up to {most_value:.0e}.")
    return number


def _tell_types(outputs: list[tuple[Any, Any]], tell: Listener) -> bool:
    """Tells where no output can equal the truth, since they are of different kinds."""
    lists = (list, tuple, np.ndarray)
    kinds = {tuple(list if isinstance(each, lists) else type(each) for each in pair) for pair in outputs}
    differ = len(kinds) == 1 and len(set(*kinds)) == 2
    if differ:
        y, y_hat = (kind.__name__ for kind in next(iter(kinds)))
        text = f"no output equals the truth: outputs are of type {y_hat!r}, true outputs of type {y!r}."
        tell(Note(f"{text}\n  {REMEDY}", warning=True))
    return differ
