"""Traces of searches of a problem written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riata._core import ProblemModel
from riata.explaining.bounds import bounds
from riata.explaining.trace import Trace, plain, plain_row
from riata.explaining.tracing import built, searched_with
from riata.problems.problem import Problem, defined


def trace_problem(
    model: ProblemModel,
    problem: Problem,
    x: Any,
    truth: tuple[Any] | None,
    settings: Mapping[str, Any],
    learner: Mapping[str, Any] | None,
    features: bool,
) -> Trace:
    """truth: (y,), or None where it is not known. settings: of the search. learner: settings of the recipe to follow, with its name as
    `recipe`, and `training`: whether to do all that it does in training, or to show only the first update; None: none is followed.
    """
    y = None if truth is None else truth[0]
    followed = None if learner is None else dict(learner)
    methods = defined(problem)
    described = "describe" in methods
    found = model.trace(
        problem, methods, x, y, truth is not None, dict(settings), followed, features, described, bounds()
    )
    return built(
        found,
        action=plain,
        feature=lambda of: (of[0], plain(of[2]) if of[1] else None),
        output=lambda path, node: plain_row(problem.output(x, found["states"][node], path)),
        merges=False,
        state=(lambda node: str(problem.describe(x, found["states"][node]))) if described else None,
        input=plain_row(x),
        truth=None if truth is None else plain_row(y),
        **searched_with(settings, learner),
    )
