"""Scores without what cannot matter: labels that no rule tells apart become one class, and hopeless parts are forbidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.errors import DataError
from riata.inference.arrays import Scores, check_scores, scores
from riata.inference.rules.rule import HARD, Ids
from riata.inference.rules.rules import Rules

SECONDS = 10.0  # time limit of one input, unless another one is asked for


@dataclass(frozen=True)
class Solved:
    """The best legal output that was found."""

    output: Ids  # [slot]: the number of its label
    score: float  # of the output, without penalties
    penalty: float  # of the soft rules that it breaks
    gap: float = 0.0  # how much better the best legal output may be, penalties included; 0: this is the best
    called: bool = False  # whether a solver was called; otherwise the best output without rules was legal
    cuts: int = 0  # outputs that predicates refused on the way

    @property
    def value(self) -> float:
        """What is maximised: the score minus penalties."""
        return self.score - self.penalty

    @property
    def optimal(self) -> bool:
        return self.gap == 0


@dataclass(frozen=True)
class Scored:
    """Scores of the labels of slots, and of pairs of neighbouring labels. Minus infinity forbids."""

    node: Scores  # [T][L]
    edge: Scores | None = (
        None  # [T][L][L], row t scores the step from slot t - 1 to t, row 0 is not read; None: slots are independent
    )

    @classmethod
    def of(cls, node: Any, edge: Any = None) -> Scored:
        """Checked. edge: [L][L] or [T][L][L], or None."""
        node = scores(node, "node")
        if node.ndim != 2 or node.shape[1] == 0:
            raise DataError(f"node has the shape {node.shape}; expected [T, L], with at least one label.")
        check_scores(node, "node")
        if edge is None:
            return cls(node)
        edge, pair = scores(edge, "edge"), node.shape[1:] * 2
        if edge.shape not in (pair, node.shape[:1] + pair):
            raise DataError(f"edge has the shape {edge.shape}; expected {pair}, or one such table per slot.")
        check_scores(edge[1:] if edge.ndim == 3 else edge, "edge")
        return cls(node, np.broadcast_to(edge, node.shape[:1] + pair))

    def score(self, output: Ids) -> float:
        return float(self.scores(output[None])[0])

    def scores(self, outputs: Ids) -> Scores:
        """Of many outputs: [N][T]"""
        steps = np.arange(outputs.shape[1])
        found: Scores = self.node[steps, outputs].sum(axis=1)
        if self.edge is not None and len(steps) > 1:
            found = found + self.edge[steps[1:], outputs[:, :-1], outputs[:, 1:]].sum(axis=1)
        return found

    def best(self) -> Ids | None:
        """The best output if there were no rules, the lowest label of equals; None if scores forbid all."""
        if not len(self.node):
            return np.empty(0, np.int32)
        if self.edge is None:
            output = self.node.argmax(axis=1).astype(np.int32)
        else:
            output, _ = _core.viterbi(self.node, np.ascontiguousarray(self.edge).ravel(), True)
        return output if self.score(output) > -np.inf else None

    def solved(self, output: Ids, rules: Rules) -> Solved:
        """An output with its score and penalty; its gap is not known here."""
        return Solved(output, self.score(output), rules.penalty(output))


def check_rules(scored: Scored, rules: Rules) -> None:
    """Raises DataError if rules are about other labels or slots than there are."""
    slots, labels = scored.node.shape
    if rules.labels != labels:
        raise DataError(f"The rules are about {rules.labels} labels, and there are scores of {labels}.")
    for rule in rules.rules:
        for side in (rule.when, rule.count):
            if side is not None and side.slots is not None and len(side.slots) and side.slots[-1] >= slots:
                raise DataError(f"A rule is about slot {side.slots[-1]}, and there are {slots} slots.")


def is_legal(solved: Solved) -> bool:
    return solved.score > -np.inf and solved.penalty < HARD


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
