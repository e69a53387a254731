"""Lists of the best outputs for structures without a dynamic program: those that the search of a prediction has ended with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata import _core
from riata.data.types import Corpus, Ids, Starts
from riata.inference.kept import native_rules
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules
from riata.inference.structure import Decoder
from riata.models.constrained import LISTED, UNLISTED, check_known_found, predicted, value_of
from riata.models.one_after_another import ONE

if TYPE_CHECKING:
    from riata._core import Instances
    from riata.inference.rules.slots import LabelNames
    from riata.models.model import Model

Codes = list[tuple[Ids, float]]  # outputs of one sentence with their scores
ALL = 1 << 40  # more outputs than any beam keeps
WIDEST = 1024  # beam that is tried for outputs that functions do not refuse


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


def not_refused(
    model: Model, alone: Instances, rules: Rules, names: LabelNames, decoder: Decoder
) -> tuple[Ids | None, str, float | None]:
    """The best output of one sentence, penalties of functions included, among those that a search under rules ends with, and the way to it.
    Wider beams are tried until functions do not refuse all of them. None: they refuse all that were tried.
    """
    native, index = native_rules(names, rules.rules, rules.automata), model.features.index
    width = 1 if decoder.queue == "greedy" else decoder.beam
    while True:
        settings = vars(replace(decoder, queue="beam", beam=width))
        _, codes, scores = _core.nbest_under(model.weights, index, alone, settings, native, ONE, ALL)
        outputs = codes.reshape(len(scores), -1)
        costs = [rules.penalty_of_predicates(model.outputs.slot_labels(one)) for one in outputs]
        values = scores - np.array(costs, float)
        if len(values) and values.max() > -HARD:
            return outputs[np.argmax(values)], LISTED, None
        if width >= WIDEST:
            return None, UNLISTED, None
        width = min(4 * width, WIDEST)


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
    values = [
        [
            (codes, score - rules.of(s).penalty(model.outputs.slot_labels(codes)))
            for codes, score in listed
            if len(codes)
        ]
        for s, listed in enumerate(lists)
    ]
    if len(again):
        part = corpus[again]
        instances, index = model.instances(part), model.features.index
        found = _core.nbest_under(model.weights, index, instances, vars(decoder), rules.native, again, ALL)
        for s, listed in zip(again.tolist(), apart(found, part.starts), strict=True):
            cost = rules.of(s).penalty_of_predicates
            values[s] = [(codes, score - cost(model.outputs.slot_labels(codes))) for codes, score in listed]
    return [
        _legal(model, corpus[s : s + 1], one, values[s], rules.of(s))[:n] if len(one) else lists[s]
        for s, one in enumerate(bests)
    ]


def _legal(model: Model, alone: Corpus, best: Ids, listed: Codes, rules: Rules) -> Codes:
    """The best output and, after it, others that keep rules and score no more. listed: with scores less penalties."""
    first = next((value for codes, value in listed if np.array_equal(codes, best)), None)
    if first is None:  # found in another way, since functions refuse others
        first = value_of(model, model.instances(alone), rules, best)
    others = [(codes, value) for codes, value in listed if -HARD < value <= first and not np.array_equal(codes, best)]
    return [(best, first), *sorted(others, key=lambda one: -one[1])]
