"""Constraints that the outputs of sentences keep, grounded on them, in the form of the core."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from riata import _core
from riata.inference.rules.first_order import Compiled, compiled
from riata.inference.rules.rule import Automaton, Rule
from riata.inference.rules.rules import PackedParts, PackedRules, Rules, pack_automata, pack_rules
from riata.inference.rules.slots import ColumnsOfSlots, LabelNames, Slots

if TYPE_CHECKING:
    from riata.data.types import Corpus
    from riata.inference.declared import Declared

# How an output that keeps constraints was found.
CLEAN = "kept them already"
MASKED = "by dynamic programming"
SEARCHED = "by search"
CUT = "by a search that was cut off"
SOLVED = "by the integer program"
BRANCHED = "by branch and bound"
WAYS = [CLEAN, MASKED, SEARCHED, CUT, SOLVED, BRANCHED]
NOTHING: Mapping[int, int] = {}


class Tally:
    """How outputs under constraints were found, and what was broken without them. Several threads may count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.gap = 0.0  # of outputs by a search that was cut off, the largest
        self.found: Counter[str] = Counter()  # by the way in which they were found
        # By number of the constraint: sentences that break it without constraints.
        self.broken: Counter[int] = Counter()

    def cut(self, gap: float) -> None:
        """A search that was cut off: the best output may be better by so much."""
        with self._lock:
            self.gap = max(self.gap, gap)

    def add(self, ways: Sequence[str], broken: Mapping[int, int] = NOTHING) -> None:
        """ways: of outputs."""
        with self._lock:
            self.found.update(sorted(ways, key=WAYS.index))
            self.broken.update(broken)


class GroundedRules(NamedTuple):
    """Constraints on the sentences of a corpus."""

    native: _core.Rules
    shared: Rules  # of all sentences
    own: Sequence[Rules]  # of each sentence; empty: there are none

    def of(self, sentence: int) -> Rules:
        """All rules of one sentence."""
        return self.shared + self.own[sentence] if self.own else self.shared

    @property
    def has_predicates(self) -> bool:
        return bool(self.shared.predicates) or any(rules.predicates for rules in self.own)


class Kept:
    """Constraints that outputs keep.

    names: what their names stand for in a model. slots: gives the slots of sentences to constraints that depend on the input.
    soften: constraints without a penalty have this one; None: they must be kept.
    """

    def __init__(
        self,
        declared: Declared,
        names: LabelNames,
        slots: Callable[[Corpus, LabelNames], Sequence[Slots]],
        soften: float | None = None,
    ) -> None:
        self.declared, self.names, self.slots, self.soften = declared, names, slots, soften
        self.tally = Tally()
        declared.check(names)
        self._shared = self._softened(declared.shared(names))
        self._varies = not all(constraint.is_shared for constraint in declared.constraints)
        self._same = None if self._varies else self._grounded()
        self._packed: _core.Rules | None = None  # the rules of all sentences, to which those of single ones are added
        self.masked: tuple[Any, Any] | None = (
            None  # a model, and its form that keeps the masks; made by models/masked.py
        )
        self.watches = (
            False  # whether it is counted what models break without constraints, also where that takes another decoding
        )

    def counted_anew(self) -> Kept:
        """The same constraints, which count by themselves how they are kept, and what is broken without them."""
        found = copy(self)
        found.tally, found.watches = Tally(), True
        return found

    def counted_by(self, other: Kept | None) -> Kept:
        """The same constraints, counted as the others are."""
        found = copy(self)
        if other is not None:
            found.tally, found.watches = other.tally, False
        return found

    @cached_property
    def masks(self) -> Compiled:
        """The rules of all sentences, as far as they are masks."""
        return compiled(self._shared, self.names)

    def sharing(self, rules: Rules) -> Kept | None:
        """The same with these rules of all sentences; None: nothing is left."""
        if not rules and not self._varies:
            return None
        found = copy(self)
        found._shared = rules
        vars(found).pop("masks", None)
        found._packed = None
        found._same = found._grounded() if not self._varies else None
        return found

    @property
    def shared(self) -> Rules:
        """The rules of all sentences."""
        return self._shared

    @property
    def same(self) -> _core.Rules | None:
        """The rules, if they are the same for all sentences."""
        return None if self._same is None else self._same.native

    def on(self, corpus: Corpus) -> GroundedRules:
        """The constraints on the sentences of a corpus."""
        if self._same is not None:
            return self._same
        own = [self._softened(self.declared.own(slots)) for slots in self.slots(corpus, self.names)]
        if self._packed is None:
            self._packed = native_rules(self.names, self._shared.rules, self._shared.automata)
        native = self._packed.copy()
        packed = pack_rules([rules.rules for rules in own], len(self.names))
        native.add(packed.sentences, *_arrays(packed))
        return GroundedRules(native, self._shared, own)

    def _grounded(self) -> GroundedRules:
        return GroundedRules(native_rules(self.names, self._shared.rules, self._shared.automata), self._shared, ())

    def _softened(self, rules: Rules) -> Rules:
        return rules if self.soften is None else rules.softened(self.soften)


def native_rules(names: LabelNames, rules: Sequence[Rule], automata: Sequence[Automaton]) -> _core.Rules:
    """Rules and automata of all sentences, in the form of the core."""
    tracks = [len(names)] if names.columns is None else np.bincount(names.columns).tolist()
    native = _core.Rules(tracks, names.tree)
    native.share(*_arrays(pack_rules([rules], len(names))))
    packed = pack_automata(automata, len(names))
    native.share_automata(packed.states, packed.next, packed.accepting, packed.penalty, packed.origin)
    return native


def token_slots(corpus: Corpus, names: LabelNames) -> list[Slots]:
    """Every token is a slot. Its columns are those of the corpus, by number."""
    columns = columns_of_slots(corpus, corpus.origins)
    return [Slots(high - low, names, columns=columns(low, high)) for low, high in pairwise(corpus.starts.tolist())]


def columns_of_slots(corpus: Corpus, names: Sequence[str | int]) -> Callable[[int, int], ColumnsOfSlots]:
    """Gives the columns of a corpus, under these names and those of templates, from one token to before another."""
    by_name = dict(zip(names, corpus.columns, strict=False))
    for number, column in enumerate(corpus.columns):
        for name in ("word", "tag")[number : number + 1] + (f"x{number}",) * (number > 0):
            by_name.setdefault(name, column)
    known: dict[str | int, Sequence[str]] = {}
    return lambda low, high: ColumnsOfSlots(tuple(by_name), known, lambda name: by_name[name].texts(), (low, high))


def _arrays(packed: PackedRules) -> tuple[Any, ...]:
    """The arrays of rules as the core takes them."""
    sides = (_side(packed.when), _side(packed.count))
    return packed.label_sets, *sides, packed.low, packed.high, packed.penalty, packed.origin


def _side(parts: PackedParts) -> tuple[Any, ...]:
    return parts.labels, parts.everywhere, parts.offsets, parts.slots
