"""Outputs that keep constraints: those of the model where they do; elsewhere by search, the integer program, or a list of the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.data.types import Corpus, Ids, Starts
from riata.errors import SearchError
from riata.inference.kept import Grounded, Kept, native_rules
from riata.inference.rules.folding import SECONDS
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules
from riata.inference.structure import EXACT, Decoder
from riata.models.masked import Masked, masked
from riata.models.nothing_legal import located, nothing_legal, which
from riata.models.one_after_another import FOUND, NOT_FOUND, ONE, NotTold, one_after_another

if TYPE_CHECKING:
    from riata._core import Instances
    from riata.models.model import Model

CLEAN = "kept them already"
SEARCHED = "by search"
CUT = "by a search that was cut off"
MASKED = "by dynamic programming"
SOLVED = "by the integer program"
LISTED = "by a list of the best"
BRANCHED = "by branch and bound"
UNLISTED = "not among the best"
WAYS = [CLEAN, MASKED, SEARCHED, CUT, SOLVED, BRANCHED, LISTED]
LONGEST_LIST = 1000  # outputs of one sentence that are tried one after the other
MOST_REFUSED = 200  # outputs that keep rules and are shown to functions, of one sentence
Refusal = Callable[[int], SearchError]  # what to say of a sentence without a legal output


def predicted(model: Model, corpus: Corpus, decoder: Decoder, threads: int) -> Ids:
    """The codes of a corpus, which keep the decoder's constraints."""
    kept, free = decoder.kept, replace(decoder, kept=None)
    assert kept is not None
    found = None if decoder.risk is not None else masked(model, decoder)
    plain = (
        model.predict_codes(corpus, free, threads) if kept.watches or (found is None and decoder.risk is None) else None
    )
    if decoder.risk is not None:
        what = f"decode={decoder.risk.decode!r} asks for probabilities over all outputs"
        own, limited = model.masked(corpus, decoder, what)
        codes, ways = own.predict_codes(limited, free, threads), [MASKED] * len(corpus)
    elif found is None:
        assert plain is not None
        made = partial(model.instances, threads=threads)
        codes, ways = keeping(model, corpus, plain, decoder, made, partial(nothing_legal, model, decoder, corpus))
    else:
        codes, ways = with_masks(found, corpus, decoder, threads, partial(nothing_legal, model, decoder, corpus))
    if plain is not None and kept.watches:
        clean, broken = _broken(model, kept.on(corpus), corpus, plain)
        ways = [CLEAN if was else MASKED if way == CLEAN else way for was, way in zip(clean, ways, strict=True)]
        kept.tally.add({}, broken)
    kept.tally.add(Counter(sorted(ways, key=WAYS.index)), {})
    return codes


def with_masks(
    found: Masked, corpus: Corpus, decoder: Decoder, threads: int, refusal: Refusal
) -> tuple[Ids, list[str]]:
    """Codes of the form of a model that keeps masks, made to keep what else is asked for; and how they were found."""
    limited = found.limited(corpus, refusal)
    codes = found.model.predict_codes(limited, replace(decoder, kept=None), threads)
    if found.rest is None:
        return codes, [MASKED] * len(corpus)
    rest = replace(decoder, kept=found.rest.counted_by(decoder.kept))
    made = partial(found.model.instances, threads=threads)
    codes, ways = keeping(found.model, limited, codes, rest, made, refusal, found)
    return codes, [MASKED if way == CLEAN and found.has_masks else way for way in ways]


def with_known(model: Model, corpus: Corpus, decoder: Decoder, threads: int) -> Ids:
    """Codes that agree with what is known, if a search may lose them: it is made wider until it does not."""
    assert corpus.known is not None
    instances, none = model.instances(corpus, threads), native_rules(model.outputs.label_names(None), (), ())
    numbers = np.empty(0, np.int64)
    codes, how = _core.decode_under(model.weights, model.features.index, instances, vars(decoder), none, numbers)
    check_known_found(model, corpus, how != NOT_FOUND)
    return np.asarray(codes)


def check_known_found(model: Model, corpus: Corpus, found: NDArray[np.bool_]) -> None:
    """Refuses what is known of the first sentence without an output that agrees with it. found: [S] whether there is one."""
    lost = np.flatnonzero(~found)
    if len(lost):
        assert corpus.known is not None
        known, first = model.outputs.as_known(model.weights, corpus.known), int(corpus.starts[lost[0]])
        raise known.impossible(corpus, first + int(np.argmax(known.of[first:] >= 0)))


def made_to_keep(
    model: Model, corpus: Corpus, labels: Ids, decoder: Decoder, threads: int = 1, *, lenient: bool = False
) -> Ids:
    """These labels, where they keep the decoder's constraints; elsewhere the best that do. lenient: where none do, they stay."""
    kept = decoder.kept
    assert kept is not None
    refusal = None if lenient else partial(nothing_legal, model, decoder, corpus)
    codes, made = model.outputs.codes(labels, corpus.starts), partial(model.instances, threads=threads)
    codes, ways = keeping(model, corpus, codes, decoder, made, refusal)
    kept.tally.add(Counter(sorted(ways, key=WAYS.index)), {})
    return model.outputs.label_ids(codes, corpus.starts)


def keeping(
    model: Model,
    corpus: Corpus,
    codes: Ids,
    decoder: Decoder,
    instances: Callable[[Corpus], Instances],
    refusal: Refusal | None,
    masks: Masked | None = None,
) -> tuple[Ids, list[str]]:
    """The codes of a corpus, where those that break constraints are replaced by the best that keep them; and how each was found.

    instances: makes the instances of sentences, if some must be searched. refusal: what to say of a sentence without a legal output;
    None: nothing, and its codes stay.
    masks: the model with its masks, if it is the model of such ones.
    """
    kept = decoder.kept
    assert kept is not None
    rules, starts = kept.on(corpus), corpus.starts
    again, ways = illegal(model, rules, corpus, codes), [CLEAN] * len(corpus)
    if not len(again):
        return codes, ways
    part, out = corpus[again], codes.copy()
    if masks is not None and rules.own and refusal is not None:
        part = masks.limited(part, lambda number: refusal(int(again[number])), [rules.own[s] for s in again.tolist()])
        if part.known is not None:
            _put(out, starts, again, model.predict_codes(part, replace(decoder, kept=None)))
            left = np.isin(again, illegal(model, rules, corpus, out))
            for sentence in again[~left].tolist():
                ways[sentence] = MASKED
            again, part = again[left], part[np.flatnonzero(left)]
    if len(again):
        _search(model, rules, part, again, out, starts, ways, decoder, instances, refusal)
    return out, ways


def _put(out: Ids, starts: Starts, sentences: NDArray[np.int64], codes: Ids) -> None:
    """Writes the codes of some sentences over those of a corpus."""
    lengths = (starts[1:] - starts[:-1])[sentences]
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    out[np.repeat(starts[sentences] - firsts, lengths) + np.arange(len(codes))] = codes


def _search(
    model: Model,
    rules: Grounded,
    part: Corpus,
    again: NDArray[np.int64],
    out: Ids,
    starts: Starts,
    ways: list[str],
    decoder: Decoder,
    instances: Callable[[Corpus], Instances],
    refusal: Refusal | None,
) -> None:
    """Searches for legal outputs of some sentences. part: these, again: their numbers in the corpus."""
    kept = decoder.kept
    assert kept is not None
    found, how = out, np.full(len(again), NOT_FOUND)
    if model.is_searched:
        known = instances(part)
        found, how = _core.decode_under(model.weights, model.features.index, known, vars(decoder), rules.native, again)
    for number, sentence in enumerate(again.tolist()):
        low, high = part.starts[number], part.starts[number + 1]
        at = slice(starts[sentence], starts[sentence + 1])
        one: Ids = found[low:high]
        own, way = rules.of(sentence), SEARCHED
        asked = own.penalty_of_predicates(model.outputs.slot_labels(one)) if how[number] != NOT_FOUND else 0.0
        if how[number] != FOUND or asked > 0:
            alone = part[number : number + 1]
            searched = None if how[number] == NOT_FOUND or asked == HARD else one
            try:
                other, way, gap = _otherwise(model, alone, instances, own, searched, kept, decoder)
            except SearchError as error:
                if refusal is None:
                    continue
                raise _placed(error, part, number, sentence) from None
            if other is None and model.unlimited is not None:
                out[at], ways[sentence] = _yielded(model.unlimited, alone, out[at], decoder, refusal, sentence)
                continue
            if other is None:
                if refusal is None:
                    continue
                raise _unlisted(part, number, sentence) if way == UNLISTED else refusal(sentence)
            one = other
            if way == CUT and gap is None and decoder.queue == EXACT.queue:
                gap = _gap(model, instances(alone), own, out[at], one)
            kept.tally.cut(gap or 0.0)
        out[at], ways[sentence] = one, way


def _yielded(
    free: Model, alone: Corpus, codes: Ids, decoder: Decoder, refusal: Refusal | None, sentence: int
) -> tuple[Ids, str]:
    """The codes of one sentence without the dictionary, which yields if it leaves nothing legal. free: the model without it."""
    own = None if refusal is None else lambda _: refusal(sentence)
    found, ways = keeping(free, alone, codes, decoder, free.instances, own)
    return found, ways[0]


def _otherwise(
    model: Model,
    sentence: Corpus,
    instances: Callable[[Corpus], Instances],
    rules: Rules,
    searched: Ids | None,
    kept: Kept,
    decoder: Decoder,
) -> tuple[Ids | None, str, float | None]:
    """A legal output that search has not found, or of which it does not know whether it is the best (searched); the way to it; and by how
    much the best may be better, if that is known.
    """
    if model.outputs.branches:
        found = model.outputs.best_kept(model, sentence, rules, decoder.seconds or SECONDS)
        way = BRANCHED if found.complete else CUT if found.codes is not None else UNLISTED
        return found.codes, way, found.gap
    alone = instances(sentence)
    scores = model.outputs.slot_scores(model, alone, 0)
    if scores is not None:
        from riata.inference.rules.integer_program import IntegerProgram

        try:
            solved = IntegerProgram(seconds=decoder.seconds or SECONDS).solve(scores[0], rules, scores[1])
        except SearchError:  # a limit was hit before it found any
            if searched is None:
                raise
            return searched, CUT, None
        if solved is None:
            return None, "", None
        return solved.output, SOLVED if solved.optimal else CUT, solved.gap
    if rules.predicates and model.outputs.lists_searched:
        from riata.models.searched_lists import not_refused

        return not_refused(model, alone, rules, kept.names, decoder)
    if rules.predicates or not model.is_searched:
        best, way = _from_list(model, alone, rules, searched)
        if way != LISTED and model.is_searched:
            best, way = _not_refused(model, alone, rules, kept, decoder, best)
        return best, way, None
    return _in_any_time(model, alone, rules, kept, decoder) if searched is None else searched, CUT, None


def _in_any_time(model: Model, alone: Instances, rules: Rules, kept: Kept, decoder: Decoder) -> Ids | None:
    """A legal output of one sentence, whatever the time limit says; None if none is found."""
    native = native_rules(kept.names, rules.rules, rules.automata)
    settings = vars(replace(decoder, queue=EXACT.queue, seconds=0.0))
    codes, how = _core.decode_under(model.weights, model.features.index, alone, settings, native, ONE)
    return None if how[0] == NOT_FOUND else codes


def _gap(model: Model, alone: Instances, rules: Rules, free: Ids, found: Ids) -> float:
    """By how much the best legal output may be better than the one that was found. free: the best without constraints."""
    return max(_score(model, alone, free) - value_of(model, alone, rules, found), 0.0)


def illegal(model: Model, rules: Grounded, corpus: Corpus, codes: Ids) -> NDArray[np.int64]:
    """The sentences whose outputs break a rule, also a soft one."""
    labels = model.outputs.all_slot_labels(codes, corpus.starts)
    verdicts = _core.verdicts(rules.native, corpus.starts, labels.ravel())
    return np.flatnonzero(verdicts | _refused(model, rules, corpus, codes))


def _refused(model: Model, rules: Grounded, corpus: Corpus, codes: Ids) -> NDArray[np.uint8]:
    """[S] whether a user's function refuses an output, or makes it pay."""
    out = np.zeros(len(corpus), np.uint8)
    if rules.has_predicates:
        for s, (low, high) in enumerate(zip(corpus.starts[:-1].tolist(), corpus.starts[1:].tolist(), strict=True)):
            own = rules.of(s)
            labels = model.outputs.slot_labels(codes[low:high])
            out[s] = high > low and not all(predicate.function(labels) for predicate in own.predicates)
    return out


def _broken(model: Model, rules: Grounded, corpus: Corpus, codes: Ids) -> tuple[list[bool], Counter[int]]:
    """Whether each output keeps everything; and in how many sentences each constraint is broken."""
    out: Counter[int] = Counter()
    breaking = illegal(model, rules, corpus, codes).tolist()
    for s in breaking:
        labels = model.outputs.slot_labels(codes[corpus.starts[s] : corpus.starts[s + 1]])
        out.update({broken.origin for broken in rules.of(s).broken(labels)})
    clean = np.ones(len(corpus), bool)
    clean[breaking] = False
    return clean.tolist(), out


def _not_refused(
    model: Model, alone: Instances, rules: Rules, kept: Kept, decoder: Decoder, known: Ids | None
) -> tuple[Ids | None, str]:
    """The best output of those that keep rules, penalties of functions included; None if there is none, or none that was tried is legal.

    known: a legal output.
    """
    best, value, exact = known, -np.inf if known is None else value_of(model, alone, rules, known), True
    until = monotonic() + (decoder.seconds or SECONDS)
    try:
        for number, one in enumerate(one_after_another(model, alone, rules, kept.names, decoder), 1):
            exact = exact and one.exact
            if one.value <= value:
                break
            own = one.value - rules.penalty_of_predicates(one.labels)
            if own > value:
                best, value = one.codes, own
            if number == MOST_REFUSED or monotonic() > until:
                return best, UNLISTED if best is None else CUT
    except NotTold:
        return best, UNLISTED if best is None else CUT
    return best, LISTED if exact else CUT


def value_of(model: Model, alone: Instances, rules: Rules, codes: Ids) -> float:
    """The score of an output less penalties."""
    return _score(model, alone, codes) - rules.penalty(model.outputs.slot_labels(codes))


def _score(model: Model, alone: Instances, codes: Ids) -> float:
    return float(model.weights.scores_of(model.features.index, alone, codes)[0])


def _from_list(model: Model, alone: Instances, rules: Rules, searched: Ids | None) -> tuple[Ids | None, str]:
    """The best legal output among the best outputs of one sentence, penalties included; None if none of them is legal.

    searched: a legal output that is known.
    """
    best, value, asked = searched, -np.inf if searched is None else value_of(model, alone, rules, searched), 10
    if model.outputs.exact_refusal(model.features) is not None:
        return best, UNLISTED if best is None else CUT
    while asked <= LONGEST_LIST:
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
    return best, UNLISTED if best is None else CUT


def _unlisted(part: Corpus, number: int, sentence: int) -> SearchError:
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
