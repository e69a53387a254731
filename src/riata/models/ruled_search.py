"""Search with monitors: the best output of one sentence that keeps rules, and the next ones, until functions of users refuse none.

The core gives up a prefix as soon as no output can keep a rule any more (RuledSearch). Exact search that is cut off leaves the sentence to
the integer program, if labels and neighbouring labels are all that is scored.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from riata import _core
from riata.data.types import Corpus, Ids
from riata.errors import SearchError
from riata.inference.kept import CUT, SEARCHED, SOLVED, native_rules
from riata.inference.rules.rule import HARD, Automaton
from riata.inference.rules.rules import Rules
from riata.inference.rules.slots import LabelNames
from riata.inference.structure import EXACT, SECONDS, Decoder

if TYPE_CHECKING:
    from riata._core import Instances
    from riata.models.model import Model

NOTHING_FOUND = 2  # what the core says of a search
FOUND = 1  # the same; 3: it was cut off
ONE = np.zeros(1, np.int64)  # numbers of sentences, if there is one
ALL = 1 << 40  # more outputs than any beam keeps
WIDEST = 1024  # beam that is tried for outputs that functions do not refuse
FEW = 8  # outputs that functions may refuse before longer lists, or searches, take over
SHORT = 8  # a short list is at most so many times as long as what is asked for
LONGEST_LIST = 1000  # outputs of one sentence that are listed whatever they break
MOST_SEARCHES = 200  # for the outputs of one sentence that keep rules, one after another


class Best(NamedTuple):
    """The best output that was found, and how; None: there is none or, if it was cut off, none was found."""

    codes: Ids | None
    way: str = SEARCHED
    gap: float | None = 0.0  # how much better the best output may be; None: not known


class Next(NamedTuple):
    """One of the outputs of a sentence that keep rules, best first."""

    codes: Ids
    labels: Ids  # of slots
    value: float  # the score less the penalties of rules; functions are not asked
    exact: bool  # whether no output that comes later is better


class NotTold(Exception):
    """Which output comes next is not found in reasonable time."""


@dataclass(frozen=True, eq=False)
class RuledSentence:
    """A sentence and the rules that its output keeps."""

    model: Model
    alone: Corpus
    rules: Rules
    names: LabelNames
    decoder: Decoder

    @cached_property
    def instances(self) -> Instances:
        return self.model.instances(self.alone)

    @property
    def seconds(self) -> float:
        return self.decoder.seconds or SECONDS

    def score(self, codes: Ids) -> float:
        return float(self.model.weights.scores_of(self.model.features.index, self.instances, codes)[0])

    def value(self, codes: Ids) -> float:
        """The score of an output less penalties."""
        return self.score(codes) - self.penalty(codes)

    def penalty(self, codes: Ids) -> float:
        return self.rules.penalty(self.model.outputs.slot_labels(codes))

    def penalty_of_functions(self, codes: Ids) -> float:
        return self.rules.penalty_of_predicates(self.model.outputs.slot_labels(codes)) if self.rules.predicates else 0.0

    def search(self, decoder: Decoder, rules: Rules | None = None) -> tuple[Ids, int]:
        """What the core finds, and what it says of it. Functions are not asked."""
        rules = self.rules if rules is None else rules
        native, index = native_rules(self.names, rules.rules, rules.automata), self.model.features.index
        codes, how = _core.decode_under(self.model.weights, index, self.instances, vars(decoder), native, ONE)
        return codes, int(how[0])

    def completed(self, codes: Ids, how: int, rules: Rules | None = None) -> Best:
        """What a search has found; if it was cut off, what the integer program finds or, without one, a search without a time limit."""
        if how == FOUND:
            return Best(codes)
        known = None if how == NOTHING_FOUND else codes
        scores = self.model.outputs.slot_scores(self.model, self.instances, 0)
        if scores is not None:
            return self._solved(scores, self.rules if rules is None else rules, known)
        if known is None:
            codes, how = self.search(replace(self.decoder, queue=EXACT.queue, seconds=0.0), rules)
            known = None if how == NOTHING_FOUND else codes
        return Best(None) if known is None else Best(known, CUT, None)

    def _solved(self, scores: tuple[Any, Any], rules: Rules, known: Ids | None) -> Best:
        from riata.inference.rules.integer_program import IntegerProgram

        try:
            solved = IntegerProgram(self.seconds).solve(scores[0], rules, scores[1], known)
        except SearchError:  # the limit was hit before it found any
            if known is None:
                raise
            return Best(known, CUT, None)
        return Best(None) if solved is None else Best(solved.output, SOLVED if solved.optimal else CUT, solved.gap)

    def accepted(self, known: Ids | None) -> Best:
        """The best output if functions are asked, too. known: one that keeps all that must be kept."""
        if self.model.outputs.lists_searched:
            return self._accepted_of_beams()
        best, value, exact = known, -np.inf if known is None else self.value(known), True
        until = monotonic() + self.seconds
        try:
            for one in self.in_order(FEW):
                exact = exact and one.exact
                if one.value <= value:
                    break
                own = one.value - self.rules.penalty_of_predicates(one.labels)
                if own > value:
                    best, value = one.codes, own
                if monotonic() > until:
                    raise NotTold
        except NotTold:
            exact = False
        return Best(best) if exact else Best(best, CUT, None)

    def _accepted_of_beams(self) -> Best:
        """The same of outputs that nothing finds one after another: among those that a beam ends with, or a wider one."""
        native = native_rules(self.names, self.rules.rules, self.rules.automata)
        width = 1 if self.decoder.queue == "greedy" else self.decoder.beam
        while True:
            settings = vars(replace(self.decoder, queue="beam", beam=width))
            _, codes, scores = _core.nbest_under(
                self.model.weights, self.model.features.index, self.instances, settings, native, ONE, ALL
            )
            outputs = codes.reshape(len(scores), -1)
            values = scores - np.array([self.penalty_of_functions(one) for one in outputs], float)
            if len(values) and values.max() > -HARD:
                return Best(outputs[np.argmax(values)])
            if width >= WIDEST:
                return Best(None, CUT)
            width = min(4 * width, WIDEST)

    def in_order(self, asked: int) -> Iterator[Next]:
        """The outputs that keep rules, best first, until there are no more; functions are not asked. asked: how many may be needed.

        A short list of the best outputs is looked through first. If it ends, a search finds each of the next ones, in which those before it
        are forbidden. If searches are cut off, or cannot tell outputs apart, lists become longer. Raises NotTold.
        """
        seen: dict[bytes, Ids] = {}
        if (yield from self._listed(seen, 2 * asked, SHORT * asked)):
            return
        try:
            for _ in range(MOST_SEARCHES):
                one = self._next(seen)
                if one is None:
                    return
                if not one.exact:
                    break
                seen[one.labels.tobytes()] = one.labels
                yield one
        except NotTold:
            pass
        if (yield from self._listed(seen, 4 * SHORT * asked, LONGEST_LIST)):
            return
        for _ in range(MOST_SEARCHES):
            one = self._next(seen)
            if one is None:
                return
            seen[one.labels.tobytes()] = one.labels
            yield one
        raise NotTold

    def _listed(self, seen: dict[bytes, Ids], asked: int, most: int) -> Generator[Next, None, bool]:
        """Those among the best of all outputs, in lists that become longer, as far as no other output can be better. Gives whether these
        are all.
        """
        model = self.model
        while asked <= most and model.outputs.exact_refusal(model.features) is None:
            _, codes, scores = model.weights.nbest(model.features.index, self.instances, asked)
            outputs = codes.reshape(len(scores), -1)
            labels = [model.outputs.slot_labels(one) for one in outputs]
            values = scores - (self.rules.penalties(np.stack(labels)) if labels else 0.0)
            last = -np.inf if len(scores) < asked else scores[-1]
            for k in np.argsort(-values, kind="stable").tolist():
                if values[k] == -HARD or values[k] < last:
                    break
                if (key := labels[k].tobytes()) not in seen:
                    seen[key] = labels[k]
                    yield Next(outputs[k], labels[k], float(values[k]), True)
            if len(scores) < asked:
                return True
            asked *= 4
        return False

    def _next(self, seen: dict[bytes, Ids]) -> Next | None:
        """The best output that was not seen, by search; None: there is none. Raises NotTold if labels of slots do not tell which it is."""
        told = self.model.outputs.labels_every_slot and self.names.per_slot == 1 and not self.names.tree
        if not self.model.is_searched or (seen and not told):
            raise NotTold
        forbidden = (without(seen.values(), self.rules.labels),) if seen else ()
        rules = replace(self.rules, automata=(*self.rules.automata, *forbidden))
        codes, way, _ = self.completed(*self.search(replace(self.decoder, queue=EXACT.queue), rules), rules)
        if codes is None:
            return None
        labels = self.model.outputs.slot_labels(codes)
        return Next(codes, labels, self.score(codes) - float(self.rules.penalties(labels[None])[0]), way != CUT)


def without(outputs: Iterable[Ids], labels: int) -> Automaton:
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
