"""Tags, one per token: how many tokens, and how many whole sentences, are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riata.data.types import Ids, Starts
from riata.scoring.counts import (
    CountRow,
    Counts,
    Scores,
    Sums,
    accuracy_of,
    check_labels,
    check_tokens,
    percent,
    rows_by_type,
    sums_by_sentence,
)


@dataclass(frozen=True, eq=False)
class TagCounts:
    """Tokens of each sentence, and of each label over all sentences (tag sets can be too large for both)."""

    labels: tuple[str, ...]
    correct: Counts  # [labels]
    found: Counts  # [labels]
    gold: Counts  # [labels]
    right_tokens: Counts  # [S]
    tokens: Counts  # [S]

    def rows(self) -> Counts:
        """[S, 4]: right tokens, tokens, right sentences (0 or 1), sentences (1)."""
        right = self.right_tokens == self.tokens
        return np.stack([self.right_tokens, self.tokens, right, np.ones_like(self.tokens)], axis=1)


def sentence_accuracy_of(sums: Sums) -> Scores:
    """Per cent of sentences without an error; a statistic of `TagCounts.rows`."""
    right, sentences = np.moveaxis(sums[..., 2:], -1, 0)
    return percent(right, sentences)


def token_accuracy(gold: Ids, predicted: Ids) -> float:
    """Per cent of tokens whose label is right."""
    check_tokens(gold, predicted, np.array([0, len(gold)]))
    return float(percent(np.count_nonzero(gold == predicted), len(gold)))


def sentence_accuracy(gold: Ids, predicted: Ids, starts: Starts) -> float:
    """Per cent of sentences all of whose labels are right."""
    check_tokens(gold, predicted, starts)
    wrong = sums_by_sentence(gold != predicted, starts)
    return float(percent(np.count_nonzero(wrong == 0), len(wrong)))


def count_tags(labels: Sequence[str], gold: Ids, predicted: Ids, starts: Starts) -> TagCounts:
    """Count gold and predicted labels, ids into `labels`, [N]; starts [S + 1]."""
    check_tokens(gold, predicted, starts)
    check_labels(labels, gold, predicted)
    right = gold == predicted
    return TagCounts(
        labels=tuple(labels),
        correct=np.bincount(gold[right], minlength=len(labels)),
        found=np.bincount(predicted, minlength=len(labels)),
        gold=np.bincount(gold, minlength=len(labels)),
        right_tokens=sums_by_sentence(right, starts),
        tokens=np.diff(starts).astype(np.int64),
    )


@dataclass(frozen=True)
class TagReport:
    """Ratios in per cent, and a row per label that occurs, in the order of the labels."""

    accuracy: float
    sentence_accuracy: float
    tokens: int
    sentences: int
    rows: tuple[CountRow, ...]

    @property
    def metrics(self) -> dict[str, float]:
        """In per cent, by the names of the JSON contract."""
        return {"accuracy": self.accuracy}


def tag_report(counts: TagCounts) -> TagReport:
    """The scores of a corpus from the counts of its sentences."""
    sums = counts.rows().sum(axis=0)
    return TagReport(
        accuracy=float(accuracy_of(sums)),
        sentence_accuracy=float(sentence_accuracy_of(sums)),
        tokens=int(sums[1]),
        sentences=int(sums[3]),
        rows=rows_by_type(counts.labels, counts.correct, counts.found, counts.gold),
    )
