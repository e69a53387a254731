"""Lists of the best outputs for structures without a dynamic program: those that the search of a prediction has ended with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.data.types import Corpus, Ids, Starts
from riata.inference.kept import native_rules
from riata.inference.rules.rule import HARD
from riata.inference.structure import Decoder
from riata.models.constrained import predicted
from riata.models.ruled_search import ALL, NOTHING_FOUND, RuledSentence

if TYPE_CHECKING:
    from riata.models.model import Model

Codes = list[tuple[Ids, float]]  # outputs of one sentence with their scores


def searched(model: Model, corpus: Corpus, n: int, decoder: Decoder) -> list[Codes]:
    """For every sentence the codes of at most n different outputs with their scores, best first. The first is that of `predict`, and no
    other scores more.
    """
    if decoder.kept is not None:
        return _kept(model, corpus, n, decoder)
    instances = model.instances(corpus)
    if corpus.known is None:
        found = model.weights.nbest_of_search(model.features.index, instances, vars(decoder), n)
        return apart(found, corpus.starts)
    none = native_rules(model.outputs.label_names(None), (), ())
    own = np.empty(0, np.int64)
    found = _core.nbest_under(model.weights, model.features.index, instances, vars(decoder), none, own, n)
    lists = apart(found, corpus.starts)
    check_known_found(model, corpus, np.array([bool(each) for each in lists]))
    return lists


def searched_labels(model: Model, corpus: Corpus, n: int, decoder: Decoder) -> list[Codes]:
    """The same with label ids. Of outputs that differ in chosen tags alone, the best is listed."""
    lists = searched(model, corpus, ALL if model.outputs.chosen else n, decoder)
    out = []
    for listed in lists:
        known: dict[bytes, tuple[Ids, float]] = {}
        for codes, score in listed:
            labels = model.outputs.label_ids(codes, np.array([0, len(codes)]))
            known.setdefault(labels.tobytes(), (labels, score))
        out.append(list(known.values())[:n])
    return out


def apart(found: tuple[Any, ...], starts: Starts) -> list[Codes]:
    """Lists of outputs that the core gives one after the other, sentence by sentence."""
    counts, codes, scores = found
    lengths = np.repeat(np.diff(starts), counts)
    ends = np.cumsum(lengths)
    each = [
        (codes[end - length : end], score) for end, length, score in zip(ends, lengths, scores.tolist(), strict=True)
    ]
    last = np.cumsum(counts).tolist()
    return [each[end - count : end] for count, end in zip(counts.tolist(), last, strict=True)]


def _kept(model: Model, corpus: Corpus, n: int, decoder: Decoder) -> list[Codes]:
    """Those of the search that has found what `predict` gives: the search without constraints, if its best output keeps them, otherwise the
    one under constraints.
    """
    kept = decoder.kept
    assert kept is not None
    best, rules = predicted(model, corpus, decoder, 1), kept.on(corpus)
    lists = searched(model, corpus, ALL, replace(decoder, kept=None))
    bests = np.split(best, corpus.starts[1:-1])
    again = np.array([s for s, one in enumerate(bests) if not np.array_equal(one, lists[s][0][0])], np.int64)
    ruled = [RuledSentence(model, corpus[s : s + 1], rules.of(s), kept.names, decoder) for s in range(len(corpus))]
    values = [
        [(codes, score - one.penalty(codes)) for codes, score in listed if len(codes)]
        for one, listed in zip(ruled, lists, strict=True)
    ]
    if len(again):
        part = corpus[again]
        instances, index = model.instances(part), model.features.index
        found = _core.nbest_under(model.weights, index, instances, vars(decoder), rules.native, again, ALL)
        for s, listed in zip(again.tolist(), apart(found, part.starts), strict=True):
            values[s] = [(codes, score - ruled[s].penalty_of_functions(codes)) for codes, score in listed]
    return [_beginning_with(one, values[s], ruled[s])[:n] if len(one) else lists[s] for s, one in enumerate(bests)]


def _beginning_with(best: Ids, listed: Codes, ruled: RuledSentence) -> Codes:
    """The best output and, after it, others that keep rules and score no more. listed: with scores less penalties."""
    first = next((value for codes, value in listed if np.array_equal(codes, best)), None)
    if first is None:  # found in another way, since functions refuse others
        first = ruled.value(best)
    others = [(codes, value) for codes, value in listed if -HARD < value <= first and not np.array_equal(codes, best)]
    return [(best, first), *sorted(others, key=lambda one: -one[1])]


def with_known(model: Model, corpus: Corpus, decoder: Decoder, threads: int) -> Ids:
    """Codes that agree with what is known, if a search may lose them: it is made wider until it does not."""
    instances, none = model.instances(corpus, threads), native_rules(model.outputs.label_names(None), (), ())
    numbers = np.empty(0, np.int64)
    codes, how = _core.decode_under(model.weights, model.features.index, instances, vars(decoder), none, numbers)
    check_known_found(model, corpus, how != NOTHING_FOUND)
    return np.asarray(codes)


def check_known_found(model: Model, corpus: Corpus, found: NDArray[np.bool_]) -> None:
    """Refuses what is known of the first sentence without an output that agrees with it. found: [S] whether there is one."""
    lost = np.flatnonzero(~found)
    if len(lost):
        assert corpus.known is not None
        known, first = model.outputs.as_known(model.weights, corpus.known), int(corpus.starts[lost[0]])
        raise known.impossible(corpus, first + int(np.argmax(known.of[first:] >= 0)))
