"""Outputs that keep constraints: those of the model where they do; elsewhere those of a search, or of a list of the best."""

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
LISTED = "by a list of the best"
LONGEST_LIST = 1000  # outputs of one sentence that are tried one after the other

NOT_FOUND, CUT_OFF = 2, 3  # what the core says of a search
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
        one, way = found[low:high], CUT if how[number] == CUT_OFF else SEARCHED
        own = rules.of(sentence)
        legal = how[number] != NOT_FOUND and not (own.predicates and _breaks(model, own, one))
        if not legal:
            listed = _from_list(model, part[number : number + 1], own, instances) if how[number] != NOT_FOUND else None
            if listed is None:
                raise _nothing_legal(model, kept, own, corpus, sentence, instances(part[number : number + 1]), decoder)
            one, way = listed, LISTED
        out[starts[sentence] : starts[sentence + 1]] = one
        ways[way] += 1
    kept.tally.add(ways, {})
    return out


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


def _breaks(model: Model, rules: Rules, codes: Ids) -> bool:
    """Whether an output breaks anything, with or without a penalty."""
    return bool(rules.broken(model.outputs.slot_labels(codes)))


def _from_list(model: Model, sentence: Corpus, rules: Rules, instances: Callable[[Corpus], Instances]) -> Ids | None:
    """The first of the best outputs that breaks nothing; None if there is none among them, or no list."""
    if model.outputs.exact_refusal(model.features) is not None:
        return None
    known = instances(sentence)
    length = int(sentence.starts[-1])
    asked = 10
    while asked <= LONGEST_LIST:
        counts, codes, _ = model.weights.nbest(model.features.index, known, asked)
        for k in range(int(counts[0])):
            one: Ids = codes[k * length : (k + 1) * length]
            if not _breaks(model, rules, one):
                return one
        if counts[0] < asked:
            return None
        asked *= 10
    return None


def _nothing_legal(
    model: Model, kept: Kept, rules: Rules, corpus: Corpus, sentence: int, known: Instances, decoder: Decoder
) -> SearchError:
    """The error that names the sentence and constraints that conflict there. known: the instances of the sentence alone."""
    from riata.inference.rules.conflicts import no_legal_output

    def impossible(some: set[int]) -> bool:
        fewer = rules.where(lambda one: one.origin in some and one.penalty == HARD)
        settings = vars(replace(decoder, queue=EXACT.queue))
        native = native_rules(kept.names, fewer.rules, fewer.automata)
        _, how = _core.decode_under(model.weights, model.features.index, known, settings, native, ONE)
        return bool(how[0] == NOT_FOUND)

    origins = {one.origin for one in rules.hard().all()}
    for origin in sorted(origins) if impossible(origins) else ():
        if impossible(origins - {origin}):
            origins -= {origin}
    at = int(corpus.starts[sentence])
    error = no_legal_output(kept.declared, sorted(origins), f"sentence {sentence} (from 0)")
    return error.located(corpus.name, corpus.line_of(at) if corpus.lines is not None else None)  # type: ignore[return-value]
