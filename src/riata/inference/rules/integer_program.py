"""The best legal output by an integer program (HiGHS, through scipy.optimize.milp).

Punyakanok, Roth, Yih & Zimak 2005, Sec. 5.2, decode local classifiers under constraints so.
**Differs:** the best output without constraints is tried first, then a list of the best. A legal output, from there or by changing
labels, shows which parts are hopeless; these have no variables, and labels that no rule tells apart have one. The linear
relaxation is solved first; if its answer is whole, which is the rule, there is no search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from riata.errors import SearchError
from riata.inference.rules.folding import SECONDS, Folded, Listed, Scored, Solved, check_rules, is_legal, listed
from riata.inference.rules.inequalities import Array, Inequalities
from riata.inference.rules.rule import HARD, Ids
from riata.inference.rules.rules import Rules

DONE, LIMIT, INFEASIBLE = 0, 1, 2  # what milp answers
SECONDS_FOR_ANY = 10.0  # for any legal output, after the time limit found none; at least so long, or twice the limit


@dataclass
class IntegerProgram:
    """Decodes one input after the other, and counts.

    seconds: time limit of one input; 0: none. most_cuts: outputs that predicates may refuse before the best one so far is returned.
    listed: how many outputs of the best scores are looked at before the solver is called; 0: none.
    """

    seconds: float = SECONDS
    most_cuts: int = 200
    listed: int = 64
    shortcut: bool = True  # whether the best output without rules is tried first
    # What was decoded so far: all inputs; those whose best output without rules was legal; those whose best legal output was found in
    # the list; those for which the solver was called; and those whose best output is not known, since a limit was hit.
    inputs: int = 0
    legal: int = 0
    found_in_list: int = 0
    called: int = 0
    limited: int = 0

    def solve(self, node: Any, rules: Rules, edge: Any = None) -> Solved | None:
        """The best legal output; None if there is none.

        node: [T][L]. edge: [L][L] or [T][L][L], row t for the step from slot t - 1 to t; None: slots are independent. Minus infinity
        forbids. If a limit is hit, `gap` of what is returned is above 0; SearchError if no legal output was found until then.
        """
        scored = Scored.of(node, edge)
        check_rules(scored, rules)
        self.inputs += 1
        best = scored.best()
        if best is None:
            return None
        first = scored.solved(best, rules)
        if self.shortcut and first.penalty == 0:
            self.legal += 1
            return first
        if not len(best):  # the one output without slots
            return first if is_legal(first) else None
        folded = Folded.of(scored, rules)
        among = listed(folded, rules, self.listed) if self.listed else Listed(first if is_legal(first) else None, False)
        if among.decided:
            self.found_in_list += 1
            return among.best
        known = among.best
        if self.listed:
            known = known or repaired(folded, rules, best)
            folded = folded if known is None else folded.without_hopeless(known.value)
        self.called += 1
        solved = _Search(folded, rules, known, first.score, self.seconds, self.most_cuts).run()
        self.limited += solved is not None and not solved.optimal
        return solved


def integer_program(node: Any, rules: Rules, edge: Any = None, **settings: Any) -> Solved | None:
    """The best legal output of one input; None if there is none. Settings, arrays and limits as for IntegerProgram."""
    return IntegerProgram(**settings).solve(node, rules, edge)


class _Search:
    """Solves, asks predicates, cuts off what they refuse, and solves again."""

    def __init__(
        self, folded: Folded, rules: Rules, best: Solved | None, bound: float, seconds: float, most_cuts: int
    ) -> None:
        """best: the best legal output that is known. bound: no output is better."""
        self.best, self.bound = best, bound
        self.rules, self.most_cuts = rules, most_cuts
        self.cut: dict[bytes, float] = {}  # what is refused, with its penalty
        self.without = replace(rules, predicates=())  # what the program itself knows
        self.until = monotonic() + seconds if seconds else np.inf
        self.seconds = seconds
        self.given = folded.given
        self.inequalities = Inequalities(folded, rules)
        size = self._largest()
        self.scale = (
            1.0 if 1e-2 <= size <= 1e4 or size == 0 else 1e3 / size
        )  # solvers have tolerances for numbers about 1
        self.close = 1e-7 * max(1.0, size)  # values that differ by less are equal

    def _largest(self) -> float:
        """The largest gain or loss of a variable."""
        soft = [one.penalty for one in self.rules.predicates if one.penalty < HARD]
        return max([*soft, *(float(np.abs(gains).max()) for gains in self.inequalities.program.gains if len(gains))])

    def run(self) -> Solved | None:
        whole = False  # whether variables must be whole: only if the relaxation has no whole answer
        while True:
            values, bound, status = self._solved(whole)
            if status == INFEASIBLE:
                return self._optimal()
            if values is None:
                return self._at_limit()
            self.bound = min(self.bound, bound)
            output = self.inequalities.chosen(values)
            found = self.given.solved(output, self.without)
            of_predicates = self._seen(output, found)
            if (
                found.value - self.cut.get(output.tobytes(), 0.0) < bound - self.close
            ):  # no whole answer, or not the best one
                if status == LIMIT:
                    return self._at_limit()
                if whole:
                    raise SearchError(
                        "The solver's answer does not keep the rules, by rounding.",
                        remedy="Divide all scores by the same number.",
                    )
                whole = True
                continue
            if self.best is not None and self.best.value >= self.bound - self.close:
                return self._optimal()
            if len(self.cut) >= self.most_cuts or monotonic() > self.until:
                return self._at_limit()
            self._cut(output, of_predicates)

    def _cut(self, output: Ids, penalty: float) -> None:
        self.inequalities.forbid(output, penalty)
        self.cut[output.tobytes()] = penalty

    def _seen(self, output: Ids, found: Solved) -> float:
        """Keeps an output if it is legal and the best so far; the penalty of what predicates say."""
        of_predicates = self.rules.penalty_of_predicates(output)
        whole = replace(found, penalty=found.penalty + of_predicates)
        if is_legal(whole) and (self.best is None or whole.value > self.best.value):
            self.best = whole
        return of_predicates

    def _solved(self, whole: bool, *, blind: bool = False) -> tuple[Array | None, float, int]:
        """Values of variables, the bound that they prove, and the status. blind: any legal answer will do."""
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

    def _optimal(self) -> Solved | None:
        return None if self.best is None else replace(self.best, called=True, cuts=len(self.cut))

    def _at_limit(self) -> Solved | None:
        """The best so far, with its gap. If there is none, any legal output is looked for; None: there is none at all."""
        for _ in range(1 + self.most_cuts):
            if self.best is not None:
                gap = max(self.bound - self.best.value, self.close)
                return replace(self.best, called=True, cuts=len(self.cut), gap=gap)
            values, _, status = self._solved(True, blind=True)
            if status == INFEASIBLE:
                return None
            if values is None or len(self.cut) >= self.most_cuts:
                break
            output = self.inequalities.chosen(values)
            penalty = self._seen(output, self.given.solved(output, self.without))
            if self.best is None:  # it is refused; then labels are not folded, and it can be cut off
                self._cut(output, penalty)
        refused = f" after predicates refused {len(self.cut)} outputs" if self.cut else " within the time limit"
        raise SearchError(
            f"No legal output was found{refused}.", remedy="Leave a constraint out, or give it a penalty."
        )


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
