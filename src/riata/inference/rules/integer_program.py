"""The best output that keeps rules, by an integer program (HiGHS, through scipy.optimize.milp).

Punyakanok, Roth, Yih & Zimak 2005, Sec. 5.2, decode local classifiers under constraints so.
**Differs:** the best output without rules is tried first. A legal output that is known shows which parts are hopeless; these have no
variables. The linear relaxation is solved first; if its answer is whole, which is the rule, there is no search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from riata import _core
from riata.errors import DataError, SearchError
from riata.inference.arrays import Scores, check_scores, scores
from riata.inference.rules.inequalities import Array, Inequalities
from riata.inference.rules.rule import HARD, Ids
from riata.inference.rules.rules import Rules
from riata.inference.structure import SECONDS

SECONDS_FOR_ANY = 10.0  # for any legal output, after the time limit found none; at least so long, or twice the limit
DONE, LIMIT, INFEASIBLE = 0, 1, 2  # what milp answers


@dataclass(frozen=True)
class Solved:
    """The best legal output that was found."""

    output: Ids  # [slot]: the number of its label
    score: float  # of the output, without penalties
    penalty: float  # of the soft rules that it breaks
    gap: float = 0.0  # how much better the best legal output may be, penalties included; 0: this is the best
    called: bool = False  # whether a solver was called; otherwise the best output without rules was legal

    @property
    def value(self) -> float:
        """What is maximised: the score minus penalties."""
        return self.score - self.penalty

    @property
    def optimal(self) -> bool:
        return self.gap == 0

    @property
    def legal(self) -> bool:
        return self.score > -np.inf and self.penalty < HARD


@dataclass(frozen=True)
class SlotScores:
    """Scores of the labels of slots, [T][L], and of pairs of neighbouring labels. Minus infinity forbids.

    edge: [T][L][L], row t scores the step from slot t - 1 to t, row 0 is not read; None: slots are independent.
    """

    node: Scores
    edge: Scores | None = None

    @classmethod
    def of(cls, node: Any, edge: Any, rules: Rules) -> SlotScores:
        """Checked. edge: [L][L] or [T][L][L], or None. Raises DataError, also if rules are about other labels or slots."""
        node = scores(node, "node")
        if node.ndim != 2 or node.shape[1] == 0:
            raise DataError(f"node has the shape {node.shape}; expected [T, L], with at least one label.")
        check_scores(node, "node")
        if edge is not None:
            edge, pair = scores(edge, "edge"), node.shape[1:] * 2
            if edge.shape not in (pair, node.shape[:1] + pair):
                raise DataError(f"edge has the shape {edge.shape}; expected {pair}, or one such table per slot.")
            check_scores(edge[1:] if edge.ndim == 3 else edge, "edge")
            edge = np.broadcast_to(edge, node.shape[:1] + pair)
        slots, labels = node.shape
        if rules.labels != labels:
            raise DataError(f"The rules are about {rules.labels} labels, and there are scores of {labels}.")
        for side in (side for rule in rules.rules for side in (rule.when, rule.count) if side is not None):
            if side.slots is not None and len(side.slots) and side.slots[-1] >= slots:
                raise DataError(f"A rule is about slot {side.slots[-1]}, and there are {slots} slots.")
        return cls(node, edge)

    def best(self) -> Ids:
        """The best output if there were no rules, the lowest label of equals."""
        if self.edge is None or not len(self.node):
            output: Ids = self.node.argmax(axis=1).astype(np.int32)
        else:
            output = _core.viterbi(self.node, np.ascontiguousarray(self.edge).ravel(), True)[0]
        return output

    def solved(self, output: Ids, rules: Rules) -> Solved:
        """An output with its score and penalty; its gap is not known here."""
        at = np.arange(len(output))
        score = self.node[at, output].sum()
        if self.edge is not None and len(output) > 1:
            score += self.edge[at[1:], output[:-1], output[1:]].sum()
        return Solved(output, float(score), rules.penalty(output))

    def without_hopeless(self, value: float) -> SlotScores:
        """Forbids the parts and pairs of parts that no output of at least this value has."""
        limit = value - 1e-6 * max(1.0, abs(value))
        if self.edge is None:
            best = self.node.max(axis=1)
            return SlotScores(np.where(self.node - best[:, None] + best.sum() < limit, -np.inf, self.node))
        hopeless = _through(self.node, self.edge) < limit
        hopeless[0] = False
        return SlotScores(self.node, np.where(hopeless, -np.inf, self.edge))


def _through(node: Scores, edge: Scores) -> Array:
    """[slot][label before][label]: the score of the best output with this pair; row 0 is not used."""
    before, after = node.copy(), np.zeros_like(node)
    for t in range(1, len(node)):
        before[t] += (before[t - 1][:, None] + edge[t]).max(axis=0)
        back = len(node) - t - 1
        after[back] = (edge[back + 1] + (node[back + 1] + after[back + 1])[None, :]).max(axis=1)
    found = np.zeros(edge.shape)
    found[1:] = before[:-1, :, None] + edge[1:] + (node[1:] + after[1:])[:, None, :]
    return found


@dataclass
class IntegerProgram:
    """Decodes one input after the other, and counts. Functions of users are not asked. seconds: time limit of one input; 0: none."""

    seconds: float = SECONDS
    # What was decoded so far: all inputs; those whose best output without rules was legal; those for which the solver was called; and
    # those whose best output is not known, since the limit was hit.
    inputs: int = 0
    legal: int = 0
    called: int = 0
    limited: int = 0

    def solve(self, node: Any, rules: Rules, edge: Any = None, known: Ids | None = None) -> Solved | None:
        """The best legal output; None if there is none.

        node: [T][L]. edge: [L][L] or [T][L][L], row t for the step from slot t - 1 to t; None: slots are independent. Minus infinity
        forbids. known: a legal output. If the limit is hit, `gap` of what is returned is above 0; SearchError if no legal output was found
        until then.
        """
        rules = replace(rules, predicates=())
        given = SlotScores.of(node, edge, rules)
        self.inputs += 1
        first = given.solved(given.best(), rules)
        if first.score == -np.inf:
            return None
        if first.penalty == 0 or not len(given.node):
            self.legal += 1
            return first if first.legal else None
        tried = [first] if known is None else [first, given.solved(known, rules)]
        best = max((one for one in tried if one.legal), key=lambda one: one.value, default=None)
        self.called += 1
        solved = _Search(given, rules, best, first.score, self.seconds).run()
        self.limited += solved is not None and not solved.optimal
        return solved


class _Search:
    """Solves the relaxation and, if its answer is not whole, the program. best: a legal output. bound: no output is better."""

    def __init__(self, given: SlotScores, rules: Rules, best: Solved | None, bound: float, seconds: float) -> None:
        self.given, self.rules, self.best, self.bound, self.seconds = given, rules, best, bound, seconds
        self.until = monotonic() + seconds if seconds else np.inf
        hopeful = given if best is None else given.without_hopeless(best.value)
        self.inequalities = Inequalities(hopeful.node, hopeful.edge, rules)
        size = max(float(np.abs(gains).max()) for gains in self.inequalities.program.gains if len(gains))
        # Solvers have tolerances for numbers about 1.
        self.scale = 1.0 if 1e-2 <= size <= 1e4 or size == 0 else 1e3 / size
        self.close = 1e-7 * max(1.0, size)  # values that differ by less are equal

    def run(self) -> Solved | None:
        for whole in (False, True):
            values, bound, status = self._solved(whole)
            if status == INFEASIBLE:
                return self.best
            if values is None:
                return self._at_limit()
            self.bound = min(self.bound, bound)
            self._see(values)
            if self.best is not None and self.best.value >= self.bound - self.close:
                return replace(self.best, called=True)
            if status == LIMIT:
                return self._at_limit()
        raise SearchError(
            "The solver's answer does not keep the rules, by rounding.", remedy="Divide all scores by the same number."
        )

    def _see(self, values: Array) -> None:
        """Keeps the output of these variables, if it is legal and the best so far."""
        found = self.given.solved(self.inequalities.chosen(values), self.rules)
        if found.legal and (self.best is None or found.value > self.best.value):
            self.best = found

    def _solved(self, whole: bool, *, blind: bool = False) -> tuple[Array | None, float, int]:
        """Values of variables, the bound that they prove, and the status. whole: variables must be. blind: any legal answer will do."""
        program = self.inequalities.program
        gains = np.concatenate(program.gains) * (0.0 if blind else self.scale)
        options = {"mip_rel_gap": 0.0}
        if self.until < np.inf or blind:
            limit = max(SECONDS_FOR_ANY, 2 * self.seconds) if blind else self.until - monotonic()
            options["time_limit"] = max(limit, 1e-3)
        answer = milp(
            -gains,
            integrality=np.concatenate(program.whole).astype(np.uint8) if whole else None,
            bounds=Bounds(0.0, 1.0),
            constraints=LinearConstraint(program.matrix(), np.concatenate(program.low), np.concatenate(program.high)),
            options=options,
        )
        if answer.status not in (DONE, LIMIT, INFEASIBLE):
            if not whole:
                return self._solved(True)
            raise SearchError(f"The solver failed: {answer.message}", remedy="Divide all scores by the same number.")
        if answer.x is None or (answer.status == LIMIT and not whole):
            return None, np.inf, answer.status
        bound = answer.mip_dual_bound if whole and answer.mip_dual_bound is not None else answer.fun
        return answer.x, float(self.inequalities.top.sum()) - bound / self.scale, answer.status

    def _at_limit(self) -> Solved | None:
        """The best so far, with its gap. If there is none, any legal output is looked for; None: there is none at all."""
        if self.best is None:
            values, _, status = self._solved(True, blind=True)
            if status == INFEASIBLE:
                return None
            if values is not None:
                self._see(values)
        if self.best is None:
            raise SearchError(
                "No legal output was found within the time limit.",
                remedy="Leave a constraint out, or give it a penalty.",
            )
        return replace(self.best, called=True, gap=max(self.bound - self.best.value, self.close))


def integer_program(node: Any, rules: Rules, edge: Any = None, **settings: Any) -> Solved | None:
    """The best legal output of one input; None if there is none. Settings, arrays and limits as for IntegerProgram."""
    return IntegerProgram(**settings).solve(node, rules, edge)
