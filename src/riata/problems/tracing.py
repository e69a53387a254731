"""Traces of searches of a problem written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riata._core import ProblemModel
from riata.errors import UnsupportedError
from riata.explaining.bounds import bounds
from riata.explaining.contributions import decision, path_to, true_path
from riata.explaining.explain import explanation_of, reached, true_one
from riata.explaining.explanation import Explanation
from riata.explaining.trace import Trace, plain, plain_row
from riata.explaining.tracing import built, searched_with
from riata.problems.problem import Problem, defined

if TYPE_CHECKING:
    from riata.problems.predictor import Predictor


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


def explain_input(
    predictor: Predictor, x: Any, truth: tuple[Any] | None, against: tuple[Any] | None, training: bool
) -> Explanation:
    """truth, against: an output in a tuple, or None. training: show the search as it is in training."""
    trace = predictor.trace(x, *(truth or ()), features=True, training=False)
    if trace.goal is None or trace.output is None:
        raise UnsupportedError(
            "The search ended without a goal, so there is no output to explain.",
            remedy="Use a wider beam; trace(x, y) shows where it ended.",
        )
    chosen = path_to(trace, trace.goal, trace.output, "output")
    errors = None if truth is None else predictor.search_errors([x], list(truth))
    if against is not None:
        given = predictor.trace(x, *against, features=True, training=False)
        other = true_path(given, plain_row(against[0]), "given")
        if other is None or not reached(given):
            raise UnsupportedError(
                "No path of the search leads to the output given.", remedy="Give an output that can be reached."
            )
    elif errors is not None and errors.wrong and reached(trace):
        other = true_path(trace, trace.truth or (), "truth")
    else:
        ends = [
            path_to(trace, node, labels, "runner-up")
            for node, labels in trace.outputs
            if node != trace.goal and trace.is_whole(node)
        ]
        other = ends[0] if ends else None
    shown = predictor.trace(x, *(truth or ()), features=True) if training else trace
    best = true_one(trace) if errors is not None and errors.missed[0] else None
    return explanation_of(shown, decision(chosen, other), errors, best)
