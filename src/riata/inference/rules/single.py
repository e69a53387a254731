"""Rules on slots that have no label, or several, as rules on slots that have one: for back ends that know only these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.inference.rules.rule import Automaton, Flags, Ids, Parts, Predicate, Rule
from riata.inference.rules.rules import Rules


def with_nothing(rules: Rules) -> Rules:
    """The same rules with one label more, the last one, which stands for no label."""
    nothing = rules.labels

    def automaton(one: Automaton) -> Automaton:
        stays = np.arange(len(one.accepting), dtype=np.int32)[:, None]
        return replace(one, next=np.hstack([one.next, stays]))

    return _changed(
        rules,
        rules.labels + 1,
        parts=lambda labels, slots: Parts(np.append(labels, False), slots),
        automaton=automaton,
        output=lambda output: np.where(output == nothing, -1, output).astype(np.int32),
    )


def one_after_the_other(rules: Rules, columns: int) -> Rules:
    """The same rules where every slot with so many labels is as many slots with one label, in the order of columns."""

    def parts(labels: Flags, slots: Ids | None) -> Parts:
        if slots is None:
            return Parts(labels)
        return Parts(labels, (slots[:, None] * columns + np.arange(columns)).ravel().astype(np.int32))

    return _changed(
        rules, rules.labels, parts=parts, automaton=lambda one: one, output=lambda output: output.reshape(-1, columns)
    )


def allowed_one_after_the_other(slots: int, columns: NDArray[Any]) -> NDArray[np.float64]:
    """Scores of such slots that forbid labels of other columns: 0 or minus infinity. columns: [label], its column."""
    own = np.arange(columns.max() + 1)[:, None] == columns[None, :]
    return np.tile(np.where(own, 0.0, -np.inf), (slots, 1))


def _changed(
    rules: Rules,
    labels: int,
    parts: Callable[[Flags, Ids | None], Parts],
    automaton: Callable[[Automaton], Automaton],
    output: Callable[[Ids], Ids],
) -> Rules:
    def side(one: Parts | None) -> Parts | None:
        return None if one is None else parts(one.labels, one.slots)

    def rule(one: Rule) -> Rule:
        return replace(one, when=side(one.when), count=parts(one.count.labels, one.count.slots))

    def predicate(one: Predicate) -> Predicate:
        return replace(one, function=lambda found: one.function(output(found)))

    return Rules(
        labels,
        tuple(map(rule, rules.rules)),
        tuple(map(automaton, rules.automata)),
        tuple(map(predicate, rules.predicates)),
    )
