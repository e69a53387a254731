"""What constraints changed in an output: what it would be without them, what that breaks, and what every change is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.explaining.trace import Plain
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules

if TYPE_CHECKING:
    from riata.data.types import Corpus, Ids
    from riata.explaining.explanation import Side
    from riata.inference.kept import Kept

Label = Plain | tuple[str, str]
FREE = "without constraints"  # the name of the output


@dataclass(frozen=True)
class BrokenConstraint:
    """A constraint that an output breaks, as text that can be read back and in words."""

    constraint: str
    words: str
    penalty: float | None  # what breaking it costs; None: it must not be broken


@dataclass(frozen=True)
class ChangedLabel:
    """A token whose label constraints changed.

    keeps: the constraints that the output would break with the former label here and all others as they are; none: it goes with other
    changes.
    """

    token: int  # from 0
    before: Label
    after: Label
    keeps: tuple[str, ...]


@dataclass(frozen=True)
class KeptAndFree:
    """What constraints did to an output."""

    without: Side  # the output that the model gives without them
    broken: tuple[BrokenConstraint, ...]  # by that output
    still_broken: tuple[BrokenConstraint, ...]  # by the output itself: those with a penalty that is worth paying
    changes: tuple[ChangedLabel, ...]
    found: str  # how the output was found
    cost: float  # the score of the output without them minus that of the output; penalties are not in it


def constrained(estimator: Any, corpus: Corpus, output: Side, without: Side) -> KeptAndFree:
    """Of one sentence, and a model that keeps constraints."""
    decoder, model, inputs = estimator.predicting.decoder(), estimator.model_, estimator.columns.input_columns(corpus)
    kept = decoder.kept.counted_anew()
    free = model.predict(inputs, replace(decoder, kept=None))
    found = model.predict(inputs, replace(decoder, kept=kept))
    rules = kept.on(inputs).of(0)
    before, after = (model.outputs.slot_labels(model.outputs.codes(ids, inputs.starts)) for ids in (free, found))
    as_written = [estimator.labels.as_outputs(estimator.labels.as_classes(ids, inputs.starts)) for ids in (free, found)]
    return KeptAndFree(
        without,
        _named(kept, rules, before),
        _named(kept, rules, after),
        tuple(_changes(model.outputs.with_slot, kept, rules, before, after, *as_written)),
        next(iter(+kept.tally.found)),
        without.score - output.score,
    )


def _changes(
    with_slot: Callable[[Ids, Ids, int], Ids],
    kept: Kept,
    rules: Rules,
    before: Ids,
    after: Ids,
    former: Sequence[Label],
    present: Sequence[Label],
) -> Iterable[ChangedLabel]:
    """before, after: the numbers of labels by slot. former, present: the labels as they are written, by token."""
    borne = {broken.origin for broken in rules.broken(after)}
    for token, (was, is_) in enumerate(zip(former, present, strict=True)):
        if was == is_:
            continue
        undone = with_slot(after, before, token)
        origins = {broken.origin for broken in rules.broken(undone)} - borne
        if np.array_equal(undone, after):
            origins = set()
        yield ChangedLabel(token, was, is_, tuple(repr(kept.declared[origin]) for origin in sorted(origins)))


def _named(kept: Kept, rules: Rules, output: Ids) -> tuple[BrokenConstraint, ...]:
    """The constraints that an output breaks; penalties of one constraint are summed up."""
    costs: dict[int, float] = {}
    for broken in rules.broken(output):
        costs[broken.origin] = costs.get(broken.origin, 0.0) + broken.penalty
    return tuple(
        BrokenConstraint(repr(kept.declared[origin]), kept.declared[origin].in_words(), None if cost == HARD else cost)
        for origin, cost in sorted(costs.items())
    )
