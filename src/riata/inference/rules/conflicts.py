"""Which declared constraints leave no legal output together."""

from __future__ import annotations

from typing import Any

import numpy as np

from riata.errors import SearchError
from riata.inference.arrays import scores
from riata.inference.rules.integer_program import integer_program
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules

MOST_CUTS = 500  # outputs that predicates may refuse before "none is legal" is no longer looked for


def conflicting(rules: Rules, node: Any, edge: Any = None) -> list[int]:
    """A minimal set of declared constraints, by number, that no output keeps together: without any one of them, some output is legal.

    Empty if some output is legal, or if the scores alone forbid every output. Scores are read for what they forbid (minus infinity):
    node [T][L], edge as for IntegerProgram. Constraints are left out one after the other, and stay out if still nothing is legal (a
    deletion filter). Where a predicate refuses so many outputs that nothing is known, its constraint stays in, so the set may then be
    larger than needed.
    """
    allowed = _only_what_is_forbidden(node, "node"), None if edge is None else _only_what_is_forbidden(edge, "edge")
    kept = rules.hard()
    if is_possible(kept, *allowed) or is_possible(Rules(rules.labels), *allowed) is False:
        return []
    for origin in sorted({one.origin for one in kept.all()}):
        fewer = kept.where(lambda one, out=origin: one.origin != out)  # type: ignore[misc]
        if is_possible(fewer, *allowed) is False:
            kept = fewer
    return sorted({one.origin for one in kept.all()})


def is_possible(rules: Rules, node: Any, edge: Any = None) -> bool | None:
    """Whether some output is legal; None if this cannot be decided within limits."""
    try:
        return integer_program(node, rules, edge, most_cuts=MOST_CUTS, listed=1) is not None
    except SearchError:
        return None


def no_legal_output(constraints: Any, origins: list[int], sentence: str) -> SearchError:
    """The error that names a sentence and the constraints that conflict on it. constraints: all that were declared, by number."""
    if not origins:
        return SearchError(
            f"No output of {sentence} is possible, with or without constraints.",
            remedy="The encoding and labels that are given forbid all of them.",
        )
    named = "; ".join(repr(constraints[origin]) for origin in origins)
    if len(origins) == 1:
        return SearchError(
            f"No output of {sentence} keeps the constraint {named}.", remedy="Leave it out, or give it a penalty."
        )
    return SearchError(
        f"No output of {sentence} keeps these {len(origins)} constraints together: {named}.",
        remedy="Leave one of them out, or give it a penalty.",
    )


def _only_what_is_forbidden(given: Any, name: str) -> Any:
    return np.where(scores(given, name) == -HARD, -HARD, 0.0)
