"""Chunks scored as by conlleval, the script of the CoNLL shared tasks (Tjong Kim Sang, version 2004-01-26).

A chunk may start, and may end, between any two neighbouring tags; which, is read off their prefixes
and types alone. So no tag sequence is an error: `O I-NP` starts a chunk, `B-NP I-VP` ends one and
starts another. A chunk is correct when both outputs start it at one token, with one type, and end it
at one token.

Differs: the script knows no S, and lets E end a chunk only before E, I and O. Where any label has the prefix S, L
or U (BIOES, BILOU), E always ends a chunk and S is always a chunk of one token, as in the script's common Python
port; L is read as E, and U as S. Where all labels are O and types alone (PER PER O, as IO has them), they count as
I, and the script counts no chunk. Without such labels the rules are the script's to the letter. And each sentence is
counted as a file of its own: its border ends every chunk (the script lets those through that end in `.`, or in an
unknown prefix without a type).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import (
    BORDER,
    OUTSIDE_PREFIXES,
    are_types_alone,
    classic_end,
    classic_start,
    is_extended,
    prefixes_end,
    prefixes_start,
    split_at_hyphen,
    split_tag,
)
from riata.data.types import Ids, Starts
from riata.scoring.counts import (
    CountRow,
    Counts,
    Scores,
    Sums,
    accuracy_of,
    check_labels,
    check_tokens,
    f1,
    percent,
    rows_by_type,
    sums_by_sentence,
)


@dataclass(frozen=True, eq=False)
class SpanCounts:
    """Chunks and tokens of each sentence. The types follow from the labels, not from the data."""

    types: tuple[str, ...]  # sorted
    correct: Counts  # [S, types]
    found: Counts  # [S, types]
    gold: Counts  # [S, types]
    right_tokens: Counts  # [S]
    tokens: Counts  # [S]

    def rows(self) -> Counts:
        """[S, 5]: right tokens, tokens, correct, found and gold chunks of all types."""
        chunks = [each.sum(axis=1) for each in (self.correct, self.found, self.gold)]
        return np.stack([self.right_tokens, self.tokens, *chunks], axis=1)


def precision_of(sums: Sums) -> Scores:
    """Per cent of the found chunks that are correct; a statistic of `SpanCounts.rows`."""
    correct, found, _ = np.moveaxis(sums[..., 2:], -1, 0)
    return percent(correct, found)


def recall_of(sums: Sums) -> Scores:
    """Per cent of the gold chunks that were found; a statistic of `SpanCounts.rows`."""
    correct, _, gold = np.moveaxis(sums[..., 2:], -1, 0)
    return percent(correct, gold)


def f1_of(sums: Sums) -> Scores:
    """F1 of the chunks of all types together; a statistic of `SpanCounts.rows`."""
    correct, found, gold = np.moveaxis(sums[..., 2:], -1, 0)
    return f1(correct, found, gold)


@dataclass(frozen=True, eq=False)
class _Tags:
    """The labels, then the sentence border: their prefixes and types as numbers."""

    prefixes: tuple[str, ...]
    types: tuple[str, ...]
    prefix: NDArray[np.int64]  # [labels + 1]
    type: NDArray[np.int64]  # [labels + 1]
    extended: bool  # the rules for BIOES and BILOU hold

    @classmethod
    def of(cls, labels: Sequence[str]) -> _Tags:
        split = [*map(split_tag if are_types_alone(labels) else split_at_hyphen, labels), BORDER]
        prefixes, types = (tuple(sorted(set(part))) for part in zip(*split, strict=True))
        prefix_number = {text: number for number, text in enumerate(prefixes)}
        type_number = {text: number for number, text in enumerate(types)}
        numbers = np.array([(prefix_number[prefix], type_number[type_]) for prefix, type_ in split], np.int64)
        return cls(prefixes, types, numbers[:, 0], numbers[:, 1], is_extended(labels))

    def table(self, holds: Callable[[str, str], bool]) -> NDArray[np.bool_]:
        """What holds between two prefixes, [before, after]."""
        return np.array([[holds(before, after) for after in self.prefixes] for before in self.prefixes])

    def inside(self) -> NDArray[np.bool_]:
        """The prefixes for which the type rule holds; no other can start a chunk."""
        return np.array([prefix not in OUTSIDE_PREFIXES for prefix in self.prefixes])

    def chunk_types(self) -> NDArray[np.int64]:
        """The types that a chunk can have: those of labels that can start one."""
        return np.unique(self.type[self.inside()[self.prefix]])


@dataclass(frozen=True, eq=False)
class _Boundaries:
    """Each token, then the border of its sentence: [N + S], what ends before it, what starts at it."""

    ends: NDArray[np.bool_]
    starts: NDArray[np.bool_]
    types: NDArray[np.int64]

    @classmethod
    def of(cls, tags: _Tags, ids: Ids, starts: Starts) -> _Boundaries:
        border = len(tags.prefix) - 1
        tokens = np.concatenate([[border], np.insert(ids.astype(np.int64), starts[1:], border)])
        prefix, type_ = tags.prefix[tokens], tags.type[tokens]
        before, after, differ = prefix[:-1], prefix[1:], type_[:-1] != type_[1:]
        inside = tags.inside()
        return cls(
            tags.table(prefixes_end if tags.extended else classic_end)[before, after]
            | (differ & inside[before])
            | (tokens[1:] == border),
            tags.table(prefixes_start if tags.extended else classic_start)[before, after] | (differ & inside[after]),
            type_[1:],
        )


def _correct_starts(gold: _Boundaries, predicted: _Boundaries) -> NDArray[np.int64]:
    """Where the correct chunks start.

    The script keeps a flag, "correct until now". It rises where both outputs start a chunk of one type
    and falls where either ends one or their types part; at one token it falls first. So it is up before
    a token if it last rose no earlier than it last fell; a chunk is correct if it is up when both end.

    Differs: a correct chunk has the type it starts with; in the script, the type of its last tag. They
    are the same unless a tag inside the chunk has prefix `.`, or prefix O and a type.
    """
    same = gold.types == predicted.types
    at = np.arange(len(same))
    rose = np.maximum.accumulate(np.where(gold.starts & predicted.starts & same, at, -1))
    fell = np.maximum.accumulate(np.where(gold.ends | predicted.ends | ~same, at, 0))
    both_end = (gold.ends & predicted.ends)[1:]
    return np.asarray(rose[:-1][both_end & (rose >= fell)[:-1]], np.int64)


def count_spans(labels: Sequence[str], gold: Ids, predicted: Ids, starts: Starts) -> SpanCounts:
    """Count the chunks of gold and predicted tags, ids into `labels`, [N]; starts [S + 1]."""
    check_tokens(gold, predicted, starts)
    check_labels(labels, gold, predicted)
    tags = _Tags.of(labels)
    truth, guess = (_Boundaries.of(tags, ids, starts) for ids in (gold, predicted))
    sentences, width = len(starts) - 1, len(tags.types)
    sentence = np.repeat(np.arange(sentences), np.diff(starts) + 1)
    columns = tags.chunk_types()

    def tally(where: NDArray[np.int64] | NDArray[np.bool_], types: NDArray[np.int64]) -> Counts:
        cells = np.bincount(sentence[where] * width + types[where], minlength=sentences * width)
        return cells.reshape(sentences, width)[:, columns]

    return SpanCounts(
        types=tuple(tags.types[column] for column in columns),
        correct=tally(_correct_starts(truth, guess), truth.types),
        found=tally(guess.starts, guess.types),
        gold=tally(truth.starts, truth.types),
        right_tokens=sums_by_sentence(gold == predicted, starts),
        tokens=np.diff(starts).astype(np.int64),
    )


@dataclass(frozen=True)
class SpanReport:
    """What conlleval prints: totals, ratios in per cent, and a row per type that occurs."""

    precision: float
    recall: float
    f1: float
    accuracy: float
    gold: int
    found: int
    correct: int
    tokens: int
    rows: tuple[CountRow, ...]
    unit: str = "tokens"  # what accuracy is of

    @property
    def metrics(self) -> dict[str, float]:
        """In per cent, by the names of the JSON contract."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1, "accuracy": self.accuracy}


def report(counts: SpanCounts) -> SpanReport:
    """The scores of a corpus from the counts of its sentences."""
    sums = counts.rows().sum(axis=0)
    _, tokens, correct, found, gold = sums.tolist()
    by_type = (each.sum(axis=0) for each in (counts.correct, counts.found, counts.gold))
    return SpanReport(
        precision=float(precision_of(sums)),
        recall=float(recall_of(sums)),
        f1=float(f1_of(sums)),
        accuracy=float(accuracy_of(sums)),
        gold=gold,
        found=found,
        correct=correct,
        tokens=tokens,
        rows=rows_by_type(counts.types, *by_type),
    )
