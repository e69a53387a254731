"""Semantic roles scored as in CoNLL-2005 (Carreras & Màrquez 2005): an argument is right if its span and its role are; V does not count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from riata.data.propbank import Proposition, RoleCorpus
from riata.data.types import Span
from riata.errors import DataError
from riata.scoring.counts import f1, percent
from riata.scoring.evaluation import Evaluation
from riata.scoring.spans import SpanCounts, f1_of, report

ADJUNCT = "ARGM"  # what roles other than numbered ones begin with, after R- and C-


def evaluate_roles(gold: RoleCorpus, predicted: Sequence[Sequence[Proposition]]) -> Evaluation:
    """Predicted propositions of all sentences against the true ones.

    accuracy: of the arguments whose span is right, those whose role is right; so, if spans are given, of all arguments.
    core_accuracy: the same of numbered arguments, without ARGM. Further metrics judge spans alone, and whole propositions.
    """
    gold.check_labelled("scoring")
    pairs = [_pairs(s, *both) for s, both in enumerate(zip(gold.propositions, predicted, strict=True))]
    roles = sorted({span.type for each in pairs for both in each for spans in both for span in spans})
    number = {role: i for i, role in enumerate(roles)}
    shape = (len(pairs), len(roles))
    correct, found, true = (np.zeros(shape, np.int64) for _ in range(3))
    judged = np.zeros((len(pairs), 2), np.int64)  # arguments whose span is right, and those of them whose role is
    core, whole = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for s, each in enumerate(pairs):
        for truth, guess in each:
            at = {(span.start, span.end): span.type for span in guess}
            for span in truth:
                true[s, number[span.type]] += 1
                role = at.get((span.start, span.end))
                if role is None:
                    continue
                right = role == span.type
                correct[s, number[role]] += right
                judged[s] += (right, 1)
                core += np.multiply((right, 1), not is_adjunct(span.type))
            for span in guess:
                found[s, number[span.type]] += 1
            whole += (sorted(truth) == sorted(guess), 1)
    counts = SpanCounts(tuple(roles), correct, found, true, judged[:, 0], judged[:, 1])
    more = {"core_accuracy": float(percent(*core)), **_of_spans(counts), "propositions": float(percent(*whole))}
    return Evaluation(
        replace(report(counts), unit="arguments with the right span"),
        counts.rows(),
        f1_of,
        more,
        gold.document,
    )


def is_adjunct(role: str) -> bool:
    """Whether a role is no numbered argument: ARGM-TMP, but also R-ARGM-TMP."""
    return ADJUNCT in role


def _pairs(
    sentence: int, gold: Sequence[Proposition], predicted: Sequence[Proposition]
) -> list[tuple[tuple[Span, ...], tuple[Span, ...]]]:
    """The true and the predicted arguments of each predicate."""
    if [one.predicate for one in gold] != [one.predicate for one in predicted]:
        raise DataError(
            f"sentence {sentence} has other predicates in the prediction.", remedy="Both must have the same predicates."
        )
    return [(true.roles, found.roles) for true, found in zip(gold, predicted, strict=True)]


def _of_spans(counts: SpanCounts) -> dict[str, float]:
    """How well spans are found, whatever their roles."""
    right, found, gold = (int(each.sum()) for each in (counts.tokens, counts.found, counts.gold))
    return {
        "span_precision": float(percent(right, found)),
        "span_recall": float(percent(right, gold)),
        "span_f1": float(f1(right, found, gold)),
    }


def overlapping(spans: Iterable[tuple[int, int]]) -> bool:
    """Whether two of the spans share a token."""
    end = -1
    for start, stop in sorted(spans):
        if start < end:
            return True
        end = max(end, stop)
    return False
