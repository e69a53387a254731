"""Slots with scores of labels, and what decoding them under rules gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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
