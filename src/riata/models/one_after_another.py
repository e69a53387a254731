"""The best outputs of one sentence that keep rules, one after another: a search for each, in which those before it are forbidden.

Lists of the best outputs without rules may be long before one of them keeps the rules; these searches only look at outputs that do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from riata import _core
from riata.data.types import Ids
from riata.inference.kept import native_rules
from riata.inference.rules.rule import Automaton
from riata.inference.rules.rules import Rules
from riata.inference.rules.slots import LabelNames
from riata.inference.structure import EXACT, Decoder

if TYPE_CHECKING:
    from riata._core import Instances
    from riata.models.model import Model

FOUND, NOT_FOUND = 1, 2  # what the core says of a search
ONE = np.zeros(1, np.int64)  # numbers of sentences, if there is one


class Next(NamedTuple):
    codes: Ids
    labels: Ids  # of slots
    value: float  # the score less the penalties of rules; functions are not asked
    exact: bool  # whether no output that comes later is better


class NotTold(Exception):
    """Outputs of this structure cannot be forbidden by the labels of their slots alone."""


def one_after_another(
    model: Model, alone: Instances, rules: Rules, names: LabelNames, decoder: Decoder
) -> Iterator[Next]:
    """The outputs of one sentence that keep rules, best first, until there are no more. Raises NotTold. Functions are not asked."""
    settings = vars(replace(decoder, queue=EXACT.queue))
    before: list[Ids] = []
    while True:
        forbidden = (without(before, rules.labels),) if before else ()
        native = native_rules(names, rules.rules, (*rules.automata, *forbidden))
        codes, how = _core.decode_under(model.weights, model.features.index, alone, settings, native, ONE)
        if how[0] == NOT_FOUND:
            return
        labels = model.outputs.slot_labels(codes)
        score = float(model.weights.scores_of(model.features.index, alone, codes)[0])
        yield Next(codes, labels, score - float(rules.penalties(labels[None])[0]), bool(how[0] == FOUND))
        if labels.ndim != 1 or (labels < 0).any():  # an automaton reads no order of columns, and no lengths of segments
            raise NotTold
        before.append(labels)


def without(outputs: Sequence[Ids], labels: int) -> Automaton:
    """Accepts all outputs but these, which have one label per slot: a tree of their beginnings, and a state for whatever leaves it."""
    rows = [np.ones(labels, np.int32), np.ones(labels, np.int32)]  # 0: the start. 1: what is none of them
    ends = []
    for output in outputs:
        state = 0
        for label in output.tolist():
            if rows[state][label] == 1:
                rows[state][label] = len(rows)
                rows.append(np.ones(labels, np.int32))
            state = int(rows[state][label])
        ends.append(state)
    accepting = np.ones(len(rows), bool)
    accepting[ends] = False
    return Automaton(np.stack(rows), accepting)
