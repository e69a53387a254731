"""Outputs that keep constraints: those of the model where they do; elsewhere by search, the integer program, or a list of the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.data.types import Corpus, Ids
from riata.errors import SearchError
from riata.inference.decoder import EXACT, Decoder
from riata.inference.kept import Grounded, Kept, native_rules
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules

if TYPE_CHECKING:
    from riata._core import Instances
    from riata.models.model import Model

CLEAN = "kept them already"
SEARCHED = "by search"
CUT = "by a search that was cut off"
SOLVED = "by the integer program"
LISTED = "by a list of the best"
LONGEST_LIST = 1000  # outputs of one sentence that are tried one after the other

FOUND, NOT_FOUND = 1, 2  # what the core says of a search
ONE = np.zeros(1, np.int64)  # numbers of sentences, if there is one


def keeping(
    model: Model, corpus: Corpus, codes: Ids, decoder: Decoder, instances: Callable[[Corpus], Instances]
) -> Ids:
    """The codes of a corpus, where those that break constraints are replaced by the best that keep them.

    instances: makes the instances of sentences, if some of them must be searched.
    """
    kept = decoder.kept
    assert kept is not None
    rules = kept.on(corpus)
    starts = corpus.starts
    verdicts = _core.verdicts(rules.native, starts, model.outputs.slot_labels(codes).ravel())
    again = np.flatnonzero(verdicts | _refused(model, rules, corpus, codes))
    kept.tally.add({CLEAN: len(corpus) - len(again)}, _broken(model, rules, corpus, codes, again))
    if not len(again):
        return codes
    part = corpus[again]
    known = instances(part)
    found, how = _core.decode_under(model.weights, model.features.index, known, vars(decoder), rules.native, again)
    out = codes.copy()
    ways: Counter[str] = Counter()
    for number, sentence in enumerate(again.tolist()):
        low, high = part.starts[number], part.starts[number + 1]
        one: Ids = found[low:high]
        own, way = rules.of(sentence), SEARCHED
        if how[number] != FOUND or (own.predicates and own.broken(model.outputs.slot_labels(found[low:high]))):
            alone = instances(part[number : number + 1])
            searched = None if how[number] == NOT_FOUND or own.predicates else one
            other, way, gap = _otherwise(model, alone, own, searched, kept, decoder)
            if other is None:
                raise _nothing_legal(model, kept, own, corpus, sentence, alone, decoder)
            one = other
            if way == CUT and gap is None and decoder.queue == EXACT.queue:
                gap = _gap(model, alone, own, codes[starts[sentence] : starts[sentence + 1]], one)
            kept.tally.cut(gap or 0.0)
        out[starts[sentence] : starts[sentence + 1]] = one
        ways[way] += 1
    kept.tally.add(ways, {})
    return out


def _otherwise(
    model: Model, alone: Instances, rules: Rules, searched: Ids | None, kept: Kept, decoder: Decoder
) -> tuple[Ids | None, str, float | None]:
    """A legal output that search has not found, or of which it does not know whether it is the best (searched); the way to it; and by how
    much the best may be better, if that is known.

    alone: the instances of one sentence.
    """
    scores = model.outputs.slot_scores(model, alone, 0)
    if scores is not None:
        from riata.inference.rules.integer_program import IntegerProgram

        try:
            solved = IntegerProgram(seconds=decoder.seconds).solve(scores[0], rules, scores[1])
        except SearchError:  # a limit was hit before it found any
            if searched is None:
                raise
            return searched, CUT, None
        if solved is None:
            return None, "", None
        return solved.output, SOLVED if solved.optimal else CUT, solved.gap
    if rules.predicates:
        return *_from_list(model, alone, rules), None
    return _in_any_time(model, alone, rules, kept, decoder) if searched is None else searched, CUT, None


def _in_any_time(model: Model, alone: Instances, rules: Rules, kept: Kept, decoder: Decoder) -> Ids | None:
    """A legal output of one sentence, whatever the time limit says; None if none is found."""
    native = native_rules(kept.names, rules.rules, rules.automata)
    settings = vars(replace(decoder, queue=EXACT.queue, seconds=0.0))
    codes, how = _core.decode_under(model.weights, model.features.index, alone, settings, native, ONE)
    return None if how[0] == NOT_FOUND else codes


def _gap(model: Model, alone: Instances, rules: Rules, free: Ids, found: Ids) -> float:
    """By how much the best legal output may be better than the one that was found. free: the best without constraints."""
    best, own = (float(model.weights.scores_of(model.features.index, alone, codes)[0]) for codes in (free, found))
    return max(best - own + rules.penalty(model.outputs.slot_labels(found)), 0.0)


def _refused(model: Model, rules: Grounded, corpus: Corpus, codes: Ids) -> NDArray[np.uint8]:
    """[S] whether a user's function refuses an output, or makes it pay."""
    out = np.zeros(len(corpus), np.uint8)
    if rules.has_predicates:
        for s, (low, high) in enumerate(zip(corpus.starts[:-1].tolist(), corpus.starts[1:].tolist(), strict=True)):
            own = rules.of(s)
            labels = model.outputs.slot_labels(codes[low:high])
            out[s] = high > low and not all(predicate.function(labels) for predicate in own.predicates)
    return out


def _broken(model: Model, rules: Grounded, corpus: Corpus, codes: Ids, sentences: NDArray[np.int64]) -> Counter[int]:
    """In how many of these sentences each constraint is broken."""
    out: Counter[int] = Counter()
    for s in sentences.tolist():
        labels = model.outputs.slot_labels(codes[corpus.starts[s] : corpus.starts[s + 1]])
        out.update({broken.origin for broken in rules.of(s).broken(labels)})
    return out


def _from_list(model: Model, alone: Instances, rules: Rules) -> tuple[Ids | None, str]:
    """The best legal output among the best outputs of one sentence, penalties included; None if none of them is legal."""
    best: Ids | None = None
    value, asked = -np.inf, 10
    while asked <= LONGEST_LIST and model.outputs.exact_refusal(model.features) is None:
        _, codes, scores = model.weights.nbest(model.features.index, alone, asked)
        for one, score in zip(codes.reshape(len(scores), -1), scores.tolist(), strict=True):
            if score <= value:
                return best, LISTED
            penalty = rules.penalty(model.outputs.slot_labels(one))
            if score - penalty > value:
                best, value = one, score - penalty
        if len(scores) < asked:
            return best, LISTED
        asked *= 10
    return best, CUT


def _nothing_legal(
    model: Model, kept: Kept, rules: Rules, corpus: Corpus, sentence: int, known: Instances, decoder: Decoder
) -> SearchError:
    """The error that names the sentence and constraints that conflict there. known: the instances of the sentence alone."""
    from riata.inference.rules.conflicts import no_legal_output

    def impossible(some: set[int]) -> bool:
        fewer = rules.where(lambda one: one.origin in some and one.penalty == HARD)
        settings = vars(replace(decoder, queue=EXACT.queue, seconds=0.0))
        native = native_rules(kept.names, fewer.rules, fewer.automata)
        _, how = _core.decode_under(model.weights, model.features.index, known, settings, native, ONE)
        return bool(how[0] == NOT_FOUND)

    origins = {one.origin for one in rules.hard().all()}
    for origin in sorted(origins) if impossible(origins) else ():
        if impossible(origins - {origin}):
            origins -= {origin}
    at = int(corpus.starts[sentence])
    # Files are read in parts, in which sentences are counted anew; the line tells which one it is.
    which = "this sentence" if corpus.lines is not None else f"sentence {sentence} (from 0)"
    error = no_legal_output(kept.declared, sorted(origins), which)
    return error.located(corpus.name, corpus.line_of(at) if corpus.lines is not None else None)  # type: ignore[return-value]
