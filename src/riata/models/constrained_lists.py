"""What looks at all outputs, or at many, under constraints: lists of the best, and confidences."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from riata.data.types import Corpus, Ids
from riata.errors import SearchError
from riata.inference.rules.rule import HARD
from riata.inference.rules.rules import Rules
from riata.inference.rules.slots import LabelNames
from riata.inference.structure import Decoder
from riata.models.constrained import LONGEST_LIST, predicted, value_of, with_masks
from riata.models.masked import masked
from riata.models.nothing_legal import located, nothing_legal, which
from riata.models.one_after_another import NotTold, one_after_another
from riata.models.outputs import Values

if TYPE_CHECKING:
    from riata.models.model import Model

Listed = list[tuple[Ids, float]]
CLOSE = 1e-5  # scores in single precision that differ by less, or by this part, are equal
MOST_SEARCHES = 200  # for the best outputs of one sentence, one after another


def listed(model: Model, corpus: Corpus, n: int, decoder: Decoder) -> list[Listed]:
    """For every sentence the n best outputs that keep the decoder's constraints, with their scores less penalties.

    Masks are kept by the dynamic program. For other constraints, lists are made longer until they have n outputs that keep them; if they
    become too long, outputs are searched one after another.
    """
    found, refusal = masked(model, decoder), partial(nothing_legal, model, decoder, corpus)
    assert found is not None
    if found.rest is None:
        return found.model.nbest(found.limited(corpus, refusal), n)
    grounded = found.rest.on(corpus)
    limited = found.limited(corpus, refusal, list(grounded.own))
    firsts = model.outputs.label_ids(with_masks(found, corpus, decoder, 1, refusal)[0], corpus.starts)
    out = []
    for s in range(len(corpus)):
        alone, rules = limited[s : s + 1], grounded.of(s)
        best = _best(found.model, alone, n, rules, found.rest.names, decoder)
        if not best and best is not None:
            raise refusal(s)
        if best is None:
            error = SearchError(
                f"The {n:,} best outputs of {which(alone, s)} that keep the constraints were not found: lists of all outputs become too "
                "long.",
                remedy="Ask for fewer.",
            )
            raise located(error, alone, 0)
        out.append(_beginning_with(best, firsts[corpus.starts[s] : corpus.starts[s + 1]], found.model, alone, rules))
    return out


def _beginning_with(best: Listed, first: Ids, model: Model, alone: Corpus, rules: Rules) -> Listed:
    """The list, where the output that `predict` gives is the first of those of the same score. It may have been too short for it."""
    if np.array_equal(best[0][0], first):
        return best
    codes, top = model.outputs.codes(first, alone.starts), best[0][1]
    if not np.isclose(value_of(model, model.instances(alone), rules, codes), top, rtol=CLOSE, atol=CLOSE):
        return best
    others = [one for one in best if not np.array_equal(one[0], first)]
    return [(first, top), *others][: len(best)]


def _best(model: Model, alone: Corpus, n: int, rules: Rules, names: LabelNames, decoder: Decoder) -> Listed | None:
    """Of one sentence; empty: nothing is legal, also without the dictionary, which yields. None: lists become too long."""
    best = _listed(model, alone, n, rules)
    if best is None:
        best = _searched(model, alone, n, rules, names, decoder)
    if best is None or best or model.unlimited is None:
        return best
    return _best(model.unlimited, alone, n, rules, names, decoder)


def _listed(model: Model, alone: Corpus, n: int, rules: Rules) -> Listed | None:
    """Exact: an output that is not listed scores no more than the last one that is. None: lists become too long."""
    asked = 2 * n
    while True:
        best = model.nbest(alone, asked)[0]
        codes = (model.outputs.codes(ids, alone.starts) for ids, _ in best)
        costs = [rules.penalty(model.outputs.slot_labels(one)) for one in codes] if alone.tokens else [0.0] * len(best)
        legal = [(ids, score - cost) for (ids, score), cost in zip(best, costs, strict=True) if cost < HARD]
        legal.sort(key=lambda one: -one[1])
        if len(best) < asked:
            return legal[:n]
        if len(legal) >= n and legal[n - 1][1] >= best[-1][1]:
            return legal[:n]
        if asked >= max(LONGEST_LIST, 8 * n):
            return None
        asked *= 4


def _searched(model: Model, alone: Corpus, n: int, rules: Rules, names: LabelNames, decoder: Decoder) -> Listed | None:
    """The same by one search after another. None: some are not found by exact search, or functions refuse too many."""
    if not model.is_searched or n > MOST_SEARCHES:
        return None
    known, best = model.instances(alone), Listed()
    try:
        for number, one in enumerate(one_after_another(model, known, rules, names, decoder), 1):
            if not one.exact:
                return None
            if len(best) == n and one.value <= best[-1][1]:
                return best
            value = one.value - rules.penalty_of_predicates(one.labels)
            if value > -HARD:
                best.append((model.outputs.label_ids(one.codes, alone.starts), value))
                best.sort(key=lambda listed: -listed[1])
                del best[n:]
            if number == MOST_SEARCHES:
                return None
            if len(best) == n and not rules.predicates:  # each is better than the next
                return best
    except NotTold:
        return None
    return best


def confident(
    model: Model, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], *, chunks: bool
) -> tuple[Ids, Values]:
    """The label ids of outputs that keep constraints, and the confidence in them: among the outputs that keep masks."""
    free = replace(decoder, kept=None)
    labels = model.outputs.label_ids(predicted(model, corpus, decoder, 1), corpus.starts)
    found = masked(model, decoder)
    if found is None:
        return model.given_confidences(corpus, free, temperatures, labels, chunks=chunks)
    own = [] if found.rest is None else list(found.rest.on(corpus).own)
    limited = found.limited(corpus, partial(nothing_legal, model, decoder, corpus), own)
    codes, values = found.model.given_confidences(limited, free, temperatures, labels, chunks=chunks)
    for s, (low, high) in enumerate(itertools.pairwise(corpus.starts.tolist())):
        if found.model.unlimited is not None and not values[..., low:high].all():  # the dictionary has yielded
            alone, given = limited[s : s + 1], labels[low:high]
            own_values = found.model.unlimited.given_confidences(alone, free, temperatures, given, chunks=chunks)[1]
            values[..., low:high] = own_values
    return codes, values
