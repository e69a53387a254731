"""The best legal output by trying all of them: for tests, and for a handful of slots."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from riata.errors import SearchError
from riata.inference.rules.folding import Scored, Solved, check_rules, is_legal
from riata.inference.rules.rules import Rules

MOST = 1_000_000  # outputs


def brute_force(node: Any, rules: Rules, edge: Any = None, most: int = MOST) -> Solved | None:
    """The best legal output of slots with scores; of equals, the one with the lowest labels from the first slot on. None: none is legal.

    node: [T][L]. edge: [L][L] or [T][L][L], row t for the step from slot t - 1 to t; None: slots are independent.
    most: outputs that are tried; SearchError if there are more.
    """
    scored = Scored.of(node, edge)
    check_rules(scored, rules)
    slots, labels = scored.node.shape
    if labels**slots > most:
        raise SearchError(
            f"{labels} labels at {slots} slots have more than {most:,} outputs, which cannot all be tried.",
            remedy="Use the integer program.",
        )
    return best_of(product(range(labels), repeat=slots), scored, rules)


def best_of(outputs: Iterable[Any], scored: Scored, rules: Rules) -> Solved | None:
    """The best legal one of some outputs, and the first of equals."""
    best: Solved | None = None
    for output in outputs:
        found = scored.solved(np.array(output, np.int32), rules)
        if is_legal(found) and (best is None or found.value > best.value):
            best = found
    return best
