"""The best tree that keeps constraints, by branch and bound around an exact search for the best tree (Land & Doig 1960).

The best tree of all is found first. If it breaks a rule, every tree that keeps the rule differs from it in one of a few ways: an arc that
is there must go, or an arc that is missing must come, or the penalty of the rule is paid. Each way leaves fewer heads and relations to
some tokens, and its best tree is found again. The ways of the best score are followed first, so the first tree that breaks nothing more is
the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata._core import allow
from riata.data.types import Corpus, Ids, KnownLabels
from riata.inference.rules.rule import HARD, Parts, Rule
from riata.inference.rules.rules import Rules
from riata.inference.structure import EXACT
from riata.models.outputs import BestKept
from riata.models.tree_outputs import tree_labels

if TYPE_CHECKING:
    from riata.models.model import Model

MOST_TREES = 5_000  # trees that are looked for in one sentence
RULES = "trees that the constraints allow"
ROOT = 0

Allowed = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Left:
    """What is left to the tokens of a sentence."""

    relations: Allowed  # [T, relations]
    heads: Allowed  # [T, T + 1]
    paid: frozenset[int] = frozenset()  # numbers of rules that may be broken
    cost: float = 0.0  # of these rules

    def only(
        self, token: int, heads: Allowed | int | None = None, relations: Allowed | None = None, *, but: bool = False
    ) -> Left:
        """The same with fewer heads or relations of a token. but: the head is one that it may not have."""
        made = replace(self, relations=self.relations.copy(), heads=self.heads.copy())
        if heads is not None:
            flags = np.arange(self.heads.shape[1]) == heads if isinstance(heads, int) else heads
            made.heads[token] &= ~flags if but else flags
        if relations is not None:
            made.relations[token] &= relations
        return made

    @property
    def is_empty(self) -> bool:
        return not (self.relations.any(axis=1).all() and self.heads.any(axis=1).all())


class TreeSearch:
    """Searches for the best tree of one sentence that keeps the rules. seconds: time limit; 0: none."""

    def __init__(self, model: Model, alone: Corpus, rules: Rules, seconds: float) -> None:
        self.model, self.alone, self.rules = model, alone, rules
        self.instances = model.features.instances(alone, 1)
        self.labels = len(model.labels)
        self.until = monotonic() + seconds if seconds else np.inf
        self.asked = 0

    def run(self) -> BestKept:
        waiting: list[tuple[float, int, Left, Ids]] = []
        numbers, best, value, bound = count(), None, -np.inf, np.inf
        following: Iterator[Left] = iter([self._all()])
        while True:
            for left in following:
                if self.asked >= MOST_TREES or monotonic() > self.until:
                    return BestKept(best, max(bound - value, 0.0) if best is not None else 0.0, complete=False)
                found = self._best(left)
                if found is None:
                    continue
                codes, score = found
                if score - left.cost > value:
                    heapq.heappush(waiting, (left.cost - score, next(numbers), left, codes))
                    worth = score - self._penalty(codes)
                    best, value = (codes, worth) if worth > value else (best, value)
            if not waiting or -waiting[0][0] <= value:
                return BestKept(best)
            cost, _, left, codes = heapq.heappop(waiting)
            bound = -cost  # no tree that has not been looked at is better
            following = self._ways(left, codes)

    def _all(self) -> Left:
        tokens = self.alone.tokens
        relations, heads = np.ones((tokens, self.labels), bool), np.ones((tokens, tokens + 1), bool)
        known = self.alone.known
        if known is not None:
            given = known.of >= 0
            sets = known.sets[known.of[given]].astype(bool)
            relations[given], heads[given] = sets[:, : self.labels], sets[:, self.labels : self.labels + tokens + 1]
        heads[np.arange(tokens), np.arange(tokens) + 1] = False
        return Left(relations, heads)

    def _best(self, left: Left) -> tuple[Ids, float] | None:
        """The best tree with what is left, and its score; None: there is none."""
        self.asked += 1
        if left.is_empty:
            return None
        tokens = self.alone.tokens
        sets = np.concatenate([left.relations, left.heads], axis=1).astype(np.uint8)
        known = KnownLabels(
            tuple(map(str, range(tokens))), sets, np.arange(tokens, dtype=np.int32), RULES, by_line=False
        )
        if len(self.model.stuck(self.alone, known)):
            return None
        index, instances = self.model.features.index, self.instances
        allow(instances, sets, known.of)
        codes = self.model.weights.decode(index, instances, vars(EXACT), None)
        heads, relations = np.divmod(codes, np.int32(self.labels))
        at = np.arange(tokens)
        if (codes < 0).any() or not (left.heads[at, heads] & left.relations[at, relations]).all():
            return None
        score = float(self.model.weights.scores_of(index, instances, codes)[0])
        return (codes, score) if score > -np.inf else None

    def _penalty(self, codes: Ids) -> float:
        return self.rules.penalty(tree_labels(codes, self.labels))

    def _ways(self, left: Left, codes: Ids) -> Iterator[Left]:
        """What is left by each of the ways to keep a rule that the tree breaks. Nothing, if it breaks none, or rules that are paid for."""
        labels = tree_labels(codes, self.labels)
        for number in self.rules.broken_rules(labels):
            if number not in left.paid:
                yield from self._ways_to_keep(left, codes, number)
                return
        others = replace(self.rules, rules=())
        if others.penalty(labels) > 0:
            # What automata and predicates refuse: all other trees, one token after the other.
            yield from self._without(left, [(token, *self._arc(codes, token)) for token in range(len(codes))])

    def _ways_to_keep(self, left: Left, codes: Ids, number: int) -> Iterator[Left]:
        rule = self.rules.rules[number]
        if rule.penalty < HARD:
            yield replace(left, paid=left.paid | {number}, cost=left.cost + rule.penalty)
        there = self._there(rule.count, codes)
        when = [] if rule.when is None else self._there(rule.when, codes)[:1]
        if rule.high is not None and len(there) > rule.high:
            yield from self._without(left, [*when, *there[: rule.high + 1]])
            return
        yield from self._without(left, when)
        yield from self._with_another(left, rule, {token for token, _, _ in there})

    def _arc(self, codes: Ids, token: int) -> tuple[int, Allowed]:
        head, relation = divmod(int(codes[token]), self.labels)
        return head, np.arange(self.labels) == relation

    def _there(self, parts: Parts, codes: Ids) -> list[tuple[int, int | None, Allowed]]:
        """The parts of a set that a tree has: tokens, their heads if these matter, and the relations that make them such a part."""
        own, of_children = parts.labels[: self.labels], parts.labels[self.labels :]
        heads, relations = np.divmod(codes, np.int32(self.labels))
        slots = np.arange(len(codes)) if parts.slots is None else parts.slots
        found: list[tuple[int, int | None, Allowed]] = [
            (int(token), None, own) for token in slots if own[relations[token]]
        ]
        child = np.flatnonzero((heads != ROOT) & of_children[relations] & np.isin(heads - 1, slots))
        return found + [(int(token), int(heads[token]), of_children) for token in child]

    def _without(self, left: Left, parts: list[tuple[int, int | None, Allowed]]) -> Iterator[Left]:
        """One of the parts is not there: the first; or the first is there and the second is not; and so on."""
        for token, head, relations in parts:
            if head is not None:
                yield left.only(token, head, but=True)
            yield left.only(token, head, ~relations)
            left = left.only(token, head, relations)

    def _with_another(self, left: Left, rule: Rule, there: set[int]) -> Iterator[Left]:
        """A part of those that the rule counts is at another token."""
        own, of_children = rule.count.labels[: self.labels], rule.count.labels[self.labels :]
        tokens = len(left.heads)
        slots = np.arange(tokens) if rule.count.slots is None else rule.count.slots
        heads = np.isin(np.arange(tokens + 1) - 1, slots)
        for token in set(range(tokens)) - there:
            if own.any() and token in slots:
                yield left.only(token, None, own)
            if of_children.any():
                yield left.only(token, heads, of_children)
