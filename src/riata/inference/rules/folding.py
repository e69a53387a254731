"""Scores without what cannot matter: labels that no rule tells apart become one class, and hopeless parts are forbidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.inference.rules.problem import Scored, Solved, is_legal
from riata.inference.rules.rule import Ids
from riata.inference.rules.rules import Rules

Array = NDArray[Any]


@dataclass(frozen=True)
class Folded:
    """Scores of classes of labels. Only the best label of a class can be in the best output.

    With scores of pairs, or with predicates, every label is its own class.
    """

    given: Scored
    scored: Scored  # of classes
    classes: Ids  # [label]: its class
    labels: Ids  # [class]: its first label

    @classmethod
    def of(cls, scored: Scored, rules: Rules) -> Folded:
        labels = np.arange(rules.labels, dtype=np.int32)
        if scored.edge is not None or rules.predicates:
            return cls(scored, scored, labels, labels)
        classes = _classes(rules)
        order = np.argsort(classes, kind="stable")
        starts = np.searchsorted(classes[order], np.arange(classes.max() + 1))
        best = np.maximum.reduceat(scored.node[:, order], starts, axis=1)
        return cls(scored, Scored(best), classes, order[starts].astype(np.int32))

    def unfolded(self, outputs: Ids) -> Ids:
        """Labels for classes: [...][T]"""
        if len(self.labels) == len(self.classes):
            return self.labels[outputs]
        # [slot][class]: the best label, the lowest of equals
        order = np.lexsort((-np.arange(len(self.classes)), self.classes))
        best = np.zeros(self.scored.node.shape, np.int32)
        slots = np.arange(len(best))[:, None]
        ranked = np.argsort(self.given.node[:, order], axis=1, kind="stable")  # later ones go over earlier ones
        best[slots, self.classes[order[ranked]]] = order[ranked]
        return best[np.arange(len(best)), outputs]

    def without_hopeless(self, value: float) -> Folded:
        """Forbids the parts and pairs of parts that no output of at least this value has."""
        node, edge = self.scored.node, self.scored.edge
        limit = value - 1e-6 * max(1.0, abs(value))
        if edge is None:
            best = node.max(axis=1)
            kept = Scored(np.where(node - best[:, None] + best.sum() < limit, -np.inf, node))
        else:
            hopeless = _through(self.scored) < limit
            hopeless[0] = False
            kept = Scored(node, np.where(hopeless, -np.inf, edge))
        return replace(self, scored=kept)


@dataclass(frozen=True)
class Listed:
    """The best legal output among those of the best scores, and whether it is the best of all."""

    best: Solved | None
    decided: bool


def listed(folded: Folded, rules: Rules, most: int) -> Listed:
    """Looks at so many outputs of the best scores. Exact if the best legal one has a value that no output outside of the list can have."""
    scored = folded.scored
    labels = scored.node.shape[1]
    edge = np.zeros(labels * labels) if scored.edge is None else np.ascontiguousarray(scored.edge).ravel()
    found = _core.kbest(scored.node, edge, scored.edge is not None, most)
    outputs = folded.unfolded(np.array([output for output, _ in found], np.int32))
    penalties, best = rules.penalties(outputs), None
    for output, (score, penalty) in zip(outputs, zip((one for _, one in found), penalties, strict=True), strict=True):
        if best is not None and best.value >= score:
            return Listed(best, True)
        if penalty < np.inf:
            solved = Solved(output, folded.given.score(output), float(penalty) + rules.penalty_of_predicates(output))
            if is_legal(solved) and (best is None or solved.value > best.value):
                best = solved
    last = found[-1][1] if found else -np.inf
    return Listed(best, len(found) < most or (best is not None and best.value >= last))


def _classes(rules: Rules) -> Ids:
    """[label]: its class. Labels of one class are in the same sets, and all automata read them alike."""
    columns: list[Array] = [rules.packed.label_sets, *(automaton.next for automaton in rules.automata)]
    read = np.concatenate([np.zeros((1, rules.labels), np.int32), *(part.astype(np.int32) for part in columns)])
    keys = np.ascontiguousarray(read.T).view(np.dtype((np.void, read.shape[0] * 4))).ravel()
    return np.unique(keys, return_inverse=True)[1].astype(np.int32)


def _through(scored: Scored) -> Array:
    """[slot][label before][label]: the score of the best output with this pair; row 0 is not used."""
    assert scored.edge is not None
    node, edge = scored.node, scored.edge
    before, after = node.copy(), np.zeros_like(node)
    for t in range(1, len(node)):
        before[t] += (before[t - 1][:, None] + edge[t]).max(axis=0)
        back = len(node) - t - 1
        after[back] = (edge[back + 1] + (node[back + 1] + after[back + 1])[None, :]).max(axis=1)
    found = np.zeros(edge.shape)
    found[1:] = before[:-1, :, None] + edge[1:] + (node[1:] + after[1:])[:, None, :]
    return found
