"""Outputs that keep constraints: those of the model where they do. Elsewhere there are three ways, between which `best_kept` decides:
masks of the dynamic program (masked.py), search with monitors (ruled_search.py), and the integer program or, on trees, branch and bound.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.data.types import Corpus, Ids
from riata.errors import SearchError
from riata.inference.kept import BRANCHED, CLEAN, CUT, MASKED, SEARCHED, GroundedRules, Kept
from riata.inference.rules.rule import HARD
from riata.inference.structure import EXACT, Decoder
from riata.models.masked import Masked, masked
from riata.models.nothing_legal import located, nothing_legal, which
from riata.models.ruled_search import FOUND, NOTHING_FOUND, Best, RuledSentence

if TYPE_CHECKING:
    from riata.models.model import Model

Reason = Callable[[int], SearchError]  # what to say of a sentence without a legal output


def best_kept(ruled: RuledSentence, codes: Ids, how: int) -> Best:
    """The best output of a sentence whose best output without constraints breaks some, and whose masks are not enough.

    codes, how: what the search with the model's queue has found under the rules, and what the core says of it.

    | model                                | what has not been kept        | way                                                   |
    |--------------------------------------|-------------------------------|-------------------------------------------------------|
    | trees, scored by arcs                | anything                      | branch and bound                                      |
    | searched step by step                | rules and automata            | search with monitors                                  |
    | the same, by labels and neighbours   | those, and search was cut off | integer program                                       |
    | any                                  | functions                     | search, the best outputs one after another            |
    | neither searched nor trees           | anything                      | the same: lists of the best of its dynamic program    |
    """
    model, rules = ruled.model, ruled.rules
    if model.outputs.branches:
        tree = model.outputs.best_kept(model, ruled.alone, rules, ruled.seconds)
        return Best(tree.codes, BRANCHED, tree.gap) if tree.complete else Best(tree.codes, CUT, tree.gap)
    if not model.is_searched:
        return ruled.accepted(None)
    best = ruled.completed(codes, how)
    if best.codes is None or not rules.predicates:
        return best
    penalty = ruled.penalty_of_functions(best.codes)
    return best if penalty == 0 else ruled.accepted(None if penalty == HARD else best.codes)


def predicted(model: Model, corpus: Corpus, decoder: Decoder, threads: int) -> Ids:
    """The codes of a corpus, which keep the decoder's constraints."""
    kept, free = decoder.kept, replace(decoder, kept=None)
    assert kept is not None
    refusal = partial(nothing_legal, model, decoder, corpus)
    found = None if decoder.risk is not None else masked(model, decoder)
    plain = None
    if kept.watches or (found is None and decoder.risk is None):
        plain = model.predict_codes(corpus, free, threads)
    if decoder.risk is not None:
        what = f"decode={decoder.risk.decode!r} asks for probabilities over all outputs"
        own, limited = model.masked(corpus, decoder, what)
        codes, ways = own.predict_codes(limited, free, threads), [MASKED] * len(corpus)
    elif found is not None:
        codes, ways = with_masks(found, corpus, decoder, threads, refusal)
    else:
        assert plain is not None
        codes, ways = keeping(model, corpus, plain, decoder, threads, refusal)
    broken: Counter[int] = Counter()
    if plain is not None and kept.watches:
        clean, broken = _broken(model, kept.on(corpus), corpus, plain)
        ways = [CLEAN if was else MASKED if way == CLEAN else way for was, way in zip(clean, ways, strict=True)]
    kept.tally.add(ways, broken)
    return codes


def with_masks(found: Masked, corpus: Corpus, decoder: Decoder, threads: int, refusal: Reason) -> tuple[Ids, list[str]]:
    """Codes of the form of a model that keeps masks, made to keep what else is asked for; and how they were found."""
    limited = found.limited(corpus, refusal)
    codes = found.model.predict_codes(limited, replace(decoder, kept=None), threads)
    if found.rest is None:
        return codes, [MASKED] * len(corpus)
    rest = replace(decoder, kept=found.rest.counted_by(decoder.kept))
    codes, ways = keeping(found.model, limited, codes, rest, threads, refusal, found)
    return codes, [MASKED if way == CLEAN and found.has_masks else way for way in ways]


def made_to_keep(
    model: Model, corpus: Corpus, labels: Ids, decoder: Decoder, threads: int = 1, *, lenient: bool = False
) -> Ids:
    """These labels, where they keep the decoder's constraints; elsewhere the best that do. lenient: where none do, they stay."""
    assert decoder.kept is not None
    refusal = None if lenient else partial(nothing_legal, model, decoder, corpus)
    codes, ways = keeping(model, corpus, model.outputs.codes(labels, corpus.starts), decoder, threads, refusal)
    decoder.kept.tally.add(ways)
    return model.outputs.label_ids(codes, corpus.starts)


def keeping(
    model: Model,
    corpus: Corpus,
    codes: Ids,
    decoder: Decoder,
    threads: int,
    refusal: Reason | None,
    masks: Masked | None = None,
) -> tuple[Ids, list[str]]:
    """The codes of a corpus, where those that break constraints are replaced by the best that keep them; and how each was found.

    refusal: what to say of a sentence without a legal output; None: nothing, and its codes stay. masks: the model with its masks, if it is
    the model of such ones.
    """
    assert decoder.kept is not None
    rules, ways = decoder.kept.on(corpus), [CLEAN] * len(corpus)
    again = illegal(model, rules, corpus, codes)
    if not len(again):
        return codes, ways
    part, out = corpus[again], codes.copy()
    if masks is not None and rules.own and refusal is not None:  # some rules of single sentences are masks as well
        part = masks.limited(part, lambda number: refusal(int(again[number])), [rules.own[s] for s in again.tolist()])
        if part.known is not None:
            at = np.repeat(np.isin(np.arange(len(corpus)), again), np.diff(corpus.starts))
            out[at] = model.predict_codes(part, replace(decoder, kept=None))
            left = np.isin(again, illegal(model, rules, corpus, out))
            for sentence in again[~left].tolist():
                ways[sentence] = MASKED
            again, part = again[left], part[np.flatnonzero(left)]
    if len(again):
        _search(model, rules, part, again, out, corpus.starts.tolist(), ways, decoder, threads, refusal)
    return out, ways


def _search(
    model: Model,
    rules: GroundedRules,
    part: Corpus,
    again: NDArray[np.int64],
    out: Ids,
    starts: list[int],
    ways: list[str],
    decoder: Decoder,
    threads: int,
    refusal: Reason | None,
) -> None:
    """Looks for legal outputs of some sentences, all by the model's queue first. part: these; again: their numbers in the corpus."""
    kept = decoder.kept
    assert kept is not None
    found, how = out, np.full(len(again), NOTHING_FOUND)
    if model.is_searched:
        index, instances = model.features.index, model.instances(part, threads)
        found, how = _core.decode_under(model.weights, index, instances, vars(decoder), rules.native, again)
    for number, sentence in enumerate(again.tolist()):
        codes, at = found[part.starts[number] : part.starts[number + 1]], slice(*starts[sentence : sentence + 2])
        if how[number] == FOUND and not rules.has_predicates:
            out[at], ways[sentence] = codes, SEARCHED
            continue
        alone = part[number : number + 1]
        ruled = RuledSentence(model, alone, rules.of(sentence), kept.names, decoder)
        try:
            best = best_kept(ruled, codes, int(how[number]))
        except SearchError as error:
            if refusal is None:
                continue
            raise _placed(error, part, number, sentence) from None
        if best.codes is not None:
            if best.way == CUT:
                kept.tally.cut(_gap(ruled, best, out[at]))
            out[at], ways[sentence] = best.codes, best.way
        elif model.unlimited is not None:  # the dictionary yields if it leaves nothing legal
            own = None if refusal is None else partial(_of_whole, refusal, sentence)
            out[at], (ways[sentence],) = keeping(model.unlimited, alone, out[at], decoder, 1, own)
        elif refusal is not None:
            raise _none_found(part, number, sentence) if best.way == CUT else refusal(sentence)


def _of_whole(refusal: Reason, sentence: int, _: int) -> SearchError:
    """sentence: its number in the corpus, in place of that in a part of it."""
    return refusal(sentence)


def _gap(ruled: RuledSentence, best: Best, free: Ids) -> float:
    """By how much the best legal output may be better than the one that was found. free: the best without constraints."""
    if best.gap is None and ruled.decoder.queue == EXACT.queue and best.codes is not None:
        return max(ruled.score(free) - ruled.value(best.codes), 0.0)
    return best.gap or 0.0


def _none_found(part: Corpus, number: int, sentence: int) -> SearchError:
    """number: of the sentence in this part of a corpus; sentence: in the corpus."""
    error = SearchError(
        f"None of the best outputs of {which(part, sentence)}, as many as were tried, keeps the constraints.",
        remedy="Leave one of them out, or give it a penalty.",
    )
    return located(error, part, number)


def _placed(error: SearchError, part: Corpus, number: int, sentence: int) -> SearchError:
    """An error of the integer program, with the sentence that it concerns."""
    if part.lines is None:
        error = SearchError(f"{which(part, sentence)}: {error.message}", remedy=error.remedy)
    return located(error, part, number)


def illegal(model: Model, rules: GroundedRules, corpus: Corpus, codes: Ids) -> NDArray[np.int64]:
    """The sentences whose outputs break a rule, also a soft one."""
    labels = model.outputs.all_slot_labels(codes, corpus.starts)
    verdicts = _core.verdicts(rules.native, corpus.starts, labels.ravel())
    if rules.has_predicates:
        for s, (low, high) in enumerate(itertools.pairwise(corpus.starts.tolist())):
            slots = model.outputs.slot_labels(codes[low:high])
            verdicts[s] |= high > low and not all(one.function(slots) for one in rules.of(s).predicates)
    return np.flatnonzero(verdicts)


def _broken(model: Model, rules: GroundedRules, corpus: Corpus, codes: Ids) -> tuple[list[bool], Counter[int]]:
    """Whether each output keeps everything; and in how many sentences each constraint is broken."""
    clean, out = [True] * len(corpus), Counter[int]()
    for s in illegal(model, rules, corpus, codes).tolist():
        clean[s] = False
        labels = model.outputs.slot_labels(codes[corpus.starts[s] : corpus.starts[s + 1]])
        out.update({broken.origin for broken in rules.of(s).broken(labels)})
    return clean, out


def penalties(model: Model, corpus: Corpus, labels: Ids, kept: Kept | None) -> NDArray[np.float64]:
    """[S] what given label ids pay for the constraints that they break; infinite where they break what must be kept."""
    out = np.zeros(len(corpus))
    if kept is not None:
        rules, codes, starts = kept.on(corpus), model.outputs.codes(labels, corpus.starts), corpus.starts
        for s in illegal(model, rules, corpus, codes).tolist():
            out[s] = rules.of(s).penalty(model.outputs.slot_labels(codes[starts[s] : starts[s + 1]]))
    return out
