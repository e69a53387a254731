"""The outputs that a search by levels ends with, their scores, and how probable they are among all paths that it kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from riata._core import ProblemModel
from riata.errors import SettingError, printed
from riata.problems.problem import Problem, defined
from riata.problems.scores import equal
from riata.settings import Setting

TEMPERATURE = Setting("temperature", 1.0, "scores are divided by it", low=1e-6, high=1e6)

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
