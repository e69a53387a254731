"""All rules on one output, and which of them an output breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.evaluation import BrokenAutomata, BrokenRules
from riata.inference.rules.packed import PackedRules, pack_rules
from riata.inference.rules.rule import HARD, Automaton, Broken, Ids, Predicate, Rule

Grounded = Rule | Automaton | Predicate


@dataclass(frozen=True)
class Rules:
    """The rules, automata and predicates that the outputs of one input should keep.

    An output is the number of the label of each slot, [T], or of each of its labels, [T][k]; -1 is no label.
    """

    labels: int  # how many there are
    rules: tuple[Rule, ...] = ()
    automata: tuple[Automaton, ...] = ()
    predicates: tuple[Predicate, ...] = ()

    @classmethod
    def of(cls, labels: int, grounded: Iterable[Grounded]) -> Rules:
        """Sorted by kind."""
        rules, automata, predicates = [], [], []
        for one in grounded:
            if isinstance(one, Rule):
                rules.append(one)
            elif isinstance(one, Automaton):
                automata.append(one)
            else:
                predicates.append(one)
        return cls(labels, tuple(rules), tuple(automata), tuple(predicates))

    def __add__(self, other: Rules) -> Rules:
        return Rules(
            self.labels, self.rules + other.rules, self.automata + other.automata, self.predicates + other.predicates
        )

    def __bool__(self) -> bool:
        return bool(self.rules or self.automata or self.predicates)

    def all(self) -> tuple[Grounded, ...]:
        return (*self.rules, *self.automata, *self.predicates)

    def where(self, keep: Callable[[Grounded], bool]) -> Rules:
        """Those that `keep` says yes to."""
        return Rules.of(self.labels, filter(keep, self.all()))

    def shared(self) -> Rules:
        """Those that are the same for all sentences; predicates are counted among the others."""
        return Rules(self.labels, tuple(rule for rule in self.rules if rule.is_shared), self.automata)

    def own(self) -> Rules:
        """Those that are not shared."""
        return Rules(self.labels, tuple(rule for rule in self.rules if not rule.is_shared), (), self.predicates)

    def hard(self) -> Rules:
        """Only those that must not be broken."""
        return self.where(lambda one: one.penalty == HARD)

    def softened(self, penalty: float) -> Rules:
        """Hard ones become soft ones with this penalty."""
        return Rules.of(
            self.labels,
            (replace(one, penalty=min(one.penalty, penalty)) if one.penalty == HARD else one for one in self.all()),
        )

    def hardened(self) -> Rules:
        """Soft ones become hard."""
        return Rules.of(self.labels, (replace(one, penalty=HARD) for one in self.all()))

    def broken(self, output: Any) -> list[Broken]:
        """What an output breaks: rules first, then automata and predicates."""
        output = np.asarray(output, np.int32)
        rules, automata = self._judged(output[None])
        found: list[Grounded] = [self.rules[number] for number in np.flatnonzero(rules[0])]
        found += [self.automata[number] for number in np.flatnonzero(automata[0])]
        found += [predicate for predicate in self.predicates if not predicate.function(output)]
        return [Broken(one.origin, one.penalty) for one in found]

    def broken_rules(self, output: Any) -> list[int]:
        """The numbers of the rules that an output breaks; automata and predicates are not asked."""
        broken: list[int] = np.flatnonzero(self._judged(np.asarray(output, np.int32)[None])[0][0]).tolist()
        return broken

    def penalty(self, output: Any) -> float:
        """The sum of the penalties of what an output breaks; infinite if it is illegal. Predicates are asked last."""
        output = np.asarray(output, np.int32)
        return float(self.penalties(output[None])[0]) + self.penalty_of_predicates(output)

    def penalties(self, outputs: Ids) -> NDArray[np.float64]:
        """The penalties of many outputs, [N][T] or [N][T][k], without those of predicates."""
        hard, soft = self.violations(outputs)
        return np.where(hard > 0, HARD, soft)

    def violations(self, outputs: Ids) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Of many outputs by how many parts each breaks what is hard, and the penalties of what is soft. Predicates are not asked."""
        broken = np.concatenate(self._judged(outputs), axis=1)
        costs = np.concatenate([self.packed.penalty, [one.penalty for one in self.automata]])
        is_hard = costs == HARD
        return (broken * is_hard).sum(axis=1), np.where((broken > 0) & ~is_hard, costs, 0.0).sum(axis=1)

    def penalty_of_predicates(self, output: Ids) -> float:
        """The sum of the penalties of predicates that refuse an output; none is asked after a hard one that does."""
        sum_ = 0.0
        for predicate in self.predicates:
            if sum_ < HARD and not predicate.function(output):
                sum_ += predicate.penalty
        return sum_

    def is_legal(self, output: Any) -> bool:
        """Whether it breaks nothing that is hard."""
        return self.penalty(output) < HARD

    @cached_property
    def packed(self) -> PackedRules:
        """The rules as arrays, as those of one sentence."""
        return pack_rules([self.rules], self.labels)

    @cached_property
    def _judges(self) -> tuple[BrokenRules, BrokenAutomata]:
        return BrokenRules(self.packed), BrokenAutomata(self.automata, self.labels)

    def _judged(self, outputs: Ids) -> tuple[NDArray[Any], NDArray[Any]]:
        """[output][rule] and [output][automaton]: by how much it is broken."""
        outputs = outputs if outputs.ndim == 3 else outputs[:, :, None]
        rules, automata = self._judges
        return rules(outputs), automata(outputs)
