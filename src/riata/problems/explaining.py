"""Explains what a Predictor does with one input: which output it chose, against which, and how it searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riata.errors import UnsupportedError
from riata.explaining.contributions import decision, path_to, true_path
from riata.explaining.explain import explanation_of, reached, true_one
from riata.explaining.explanation import Explanation
from riata.explaining.trace import plain_row

if TYPE_CHECKING:
    from riata.problems.predictor import Predictor


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
