"""Some legal output near the best one: one label after another is changed. It may be missed, and need not be the best."""

from __future__ import annotations

import numpy as np

from riata.inference.rules.folding import Folded
from riata.inference.rules.problem import Solved, is_legal
from riata.inference.rules.rule import Ids
from riata.inference.rules.rules import Rules

TRIED = 6  # classes of labels at each slot, those with the best scores
MOST = 30_000_000  # labels that are judged before it gives up: the work grows with the third power of the slots


def repaired(folded: Folded, rules: Rules, output: Ids) -> Solved | None:
    """Takes the change after which hard rules are broken by the fewest parts, of equals the one with the best value, until none is broken.

    None: no change makes fewer, there is too much to judge, or a predicate refuses what is left.
    """
    slots = len(output)
    classes = np.argsort(-folded.scored.node, axis=1, kind="stable")[:, :TRIED]  # [slot][rank]
    tried = np.stack([folded.unfolded(column) for column in classes.T.astype(np.int32)], axis=1)
    at = np.repeat(np.arange(slots), tried.shape[1])
    broken = rules.violations(output[None])[0][0]
    judged = 0
    while broken:
        judged += len(at) * slots
        if judged > MOST:
            return None
        changed = np.repeat(output[None], len(at), axis=0)
        changed[np.arange(len(at)), at] = tried.ravel()
        hard, soft = rules.violations(changed)
        values = folded.given.scores(changed) - soft
        hard = np.where(values > -np.inf, hard, np.inf)
        chosen = np.lexsort((-values, hard))[0]
        if hard[chosen] >= broken:
            return None
        output, broken = changed[chosen], hard[chosen]
    found = folded.given.solved(output, rules)
    return found if is_legal(found) else None
