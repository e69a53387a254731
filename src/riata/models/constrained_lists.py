"""What looks at all outputs, or at many, under constraints: lists of the best, and confidences."""

from __future__ import annotations

import itertools
from bisect import insort
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from riata.data.types import Corpus, Ids
from riata.errors import SearchError
from riata.inference.rules.rule import HARD
from riata.inference.structure import Decoder
from riata.models.constrained import predicted, with_masks
from riata.models.masked import masked
from riata.models.nothing_legal import located, nothing_legal, which
from riata.models.outputs import Values
from riata.models.ruled_search import NotTold, RuledSentence

if TYPE_CHECKING:
    from riata.models.model import Model

Ranked = list[tuple[Ids, float]]  # codes or label ids of one sentence, with scores
CLOSE = 1e-5  # scores in single precision that differ by less, or by this part, are equal


def listed(model: Model, corpus: Corpus, n: int, decoder: Decoder) -> list[Ranked]:
    """For every sentence the n best outputs that keep the decoder's constraints, with their scores less penalties.

    Masks are kept by the dynamic program; with other constraints, outputs are looked through best first.
    """
    found, refusal = masked(model, decoder), partial(nothing_legal, model, decoder, corpus)
    assert found is not None
    if found.rest is None:
        return found.model.nbest(found.limited(corpus, refusal), n)
    grounded = found.rest.on(corpus)
    limited = found.limited(corpus, refusal, list(grounded.own))
    firsts = with_masks(found, corpus, decoder, 1, refusal)[0]
    out: list[Ranked] = []
    for s, (low, high) in enumerate(itertools.pairwise(corpus.starts.tolist())):
        ruled = RuledSentence(found.model, limited[s : s + 1], grounded.of(s), found.rest.names, decoder)
        best = _best(ruled, n) if high > low else [(firsts[low:high], 0.0)]
        if not best and best is not None:
            raise refusal(s)
        if best is None:
            error = SearchError(
                f"The {n:,} best outputs of {which(corpus, s)} that keep the constraints were not found: lists of all outputs become too "
                "long.",
                remedy="Ask for fewer.",
            )
            raise located(error, corpus, s)
        best, starts = _beginning_with(best, firsts[low:high], ruled), np.array([0, high - low])
        out.append([(model.outputs.label_ids(codes, starts), score) for codes, score in best])
    return out


def _best(ruled: RuledSentence, n: int) -> Ranked | None:
    """The codes of the n best; empty: nothing is legal, also without the dictionary, which yields. None: they are not found."""
    best: Ranked = []
    try:
        for one in ruled.in_order(n):
            if len(best) == n and one.value <= best[-1][1]:
                return best
            if not one.exact:
                return None
            value = one.value - ruled.rules.penalty_of_predicates(one.labels)
            if value > -HARD:
                insort(best, (one.codes, value), key=lambda listed: -listed[1])
                del best[n:]
            if len(best) == n and not ruled.rules.predicates:  # each is better than the next
                return best
    except NotTold:
        return None
    free = ruled.model.unlimited
    return best if best or free is None else _best(replace(ruled, model=free), n)


def _beginning_with(best: Ranked, first: Ids, ruled: RuledSentence) -> Ranked:
    """The list, where the output that `predict` gives is the first of those of the same score. It may have been too short for it."""
    top = best[0][1]
    if np.array_equal(best[0][0], first) or not np.isclose(ruled.value(first), top, rtol=CLOSE, atol=CLOSE):
        return best
    others = [one for one in best if not np.array_equal(one[0], first)]
    return [(first, top), *others][: len(best)]


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
