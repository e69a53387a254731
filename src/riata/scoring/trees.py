"""Dependency trees: how many tokens have the right head (UAS), and how many the right head and relation (LAS).

All tokens count, punctuation too, as the evaluation script of the CoNLL 2018 shared task counts them (Zeman et al. 2018, Sec. 5) where the
tokens are given. **Differs:** there, LAS compares relations without their subtypes; this figure is `las_universal` here, and `las` compares
whole relations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata.data.pairs import pair_column
from riata.data.trees import NO_HEAD, heads_and_relations, universal
from riata.data.types import Column, Ids, Starts
from riata.scoring.counts import CountRow, Counts, Scores, Sums, check_tokens, percent, rows_by_type, sums_by_sentence

LENGTHS = (10, 20, 30, 40)  # bounds of the classes of sentences by length


class LengthRow(NamedTuple):
    """The scores of the sentences of some lengths, in per cent."""

    lengths: str
    sentences: int
    tokens: int
    uas: float
    las: float


@dataclass(frozen=True)
class TreeReport:
    """Ratios in per cent; a row per relation that occurs, and a row per class of lengths that occurs."""

    uas: float
    las: float
    las_universal: float  # of relations without subtypes
    whole: float  # sentences without an error
    tokens: int
    sentences: int
    rows: tuple[CountRow, ...]  # correct: with the right head, too
    lengths: tuple[LengthRow, ...]

    @property
    def accuracy(self) -> float:
        """Tokens with the right head and relation."""
        return self.las

    @property
    def metrics(self) -> dict[str, float]:
        return {"uas": self.uas, "las": self.las, "las_universal": self.las_universal}


@dataclass(frozen=True, eq=False)
class TreeCounts:
    relations: tuple[str, ...]
    gold: Ids  # [N] relations
    found: Ids
    right_heads: NDArray[np.bool_]  # [N]
    right: NDArray[np.bool_]  # head and relation
    right_universal: NDArray[np.bool_]  # head and relation without its subtype
    starts: Starts

    def rows(self) -> Counts:
        """[S, 6]: tokens with the right head and relation, tokens, with the right head, with the right head and relation without its
        subtype, right sentences (0 or 1), sentences (1).
        """
        each = (self.right, np.ones_like(self.right), self.right_heads, self.right_universal)
        right, tokens, *others = (sums_by_sentence(values, self.starts) for values in each)
        return np.stack([right, tokens, *others, right == tokens, np.ones_like(tokens)], axis=1)


def las_of(sums: Sums) -> Scores:
    """Per cent of tokens with the right head and relation; a statistic of `TreeCounts.rows`, like the others here."""
    return percent(sums[..., 0], sums[..., 1])


def uas_of(sums: Sums) -> Scores:
    """Per cent of tokens with the right head."""
    return percent(sums[..., 2], sums[..., 1])


def las_universal_of(sums: Sums) -> Scores:
    """Per cent of tokens with the right head and relation, subtypes left out."""
    return percent(sums[..., 3], sums[..., 1])


def count_trees(gold: tuple[Column, Column], found: tuple[Column, Column], starts: Starts) -> TreeCounts:
    """gold, found: heads and relations."""
    (gold_heads, gold_relations), (found_heads, found_relations) = (
        heads_and_relations(pair_column(*columns, "")) for columns in (gold, found)
    )
    check_tokens(gold_heads, found_heads, starts)
    names = list(dict.fromkeys([*gold_relations.alphabet.texts(), *found_relations.alphabet.texts()]))
    one, other = gold_relations.numbered(names), found_relations.numbered(names)
    plain = Column.of([universal(name) for name in names]).ids if names else one
    heads = (gold_heads == found_heads) & (gold_heads != NO_HEAD)
    return TreeCounts(
        tuple(names), one, other, heads, heads & (one == other), heads & (plain[one] == plain[other]), starts
    )


def tree_report(counts: TreeCounts) -> TreeReport:
    rows = counts.rows()
    sums = rows.sum(axis=0)
    numbers = [
        np.bincount(ids, minlength=len(counts.relations))
        for ids in (counts.gold[counts.right], counts.found, counts.gold)
    ]
    return TreeReport(
        uas=float(uas_of(sums)),
        las=float(las_of(sums)),
        las_universal=float(las_universal_of(sums)),
        whole=float(percent(sums[4], sums[5])),
        tokens=int(sums[1]),
        sentences=int(sums[5]),
        rows=rows_by_type(counts.relations, *numbers),
        lengths=_by_length(rows),
    )


def _by_length(rows: Counts) -> tuple[LengthRow, ...]:
    classes = np.searchsorted(LENGTHS, rows[:, 1])
    names = [f"{low + 1}-{high}" for low, high in zip((0, *LENGTHS), LENGTHS, strict=False)] + [f"over {LENGTHS[-1]}"]
    found = []
    for number, name in enumerate(names):
        sums = rows[classes == number].sum(axis=0)
        if sums[1]:
            found.append(LengthRow(name, int(sums[5]), int(sums[1]), float(uas_of(sums)), float(las_of(sums))))
    return tuple(found)
