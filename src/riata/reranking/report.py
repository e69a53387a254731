"""What a reranker has to choose from, and what it makes of it: the oracle by length of the list, the base, and the gain with a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from riata.errors import DataError
from riata.reranking.candidates import Listed
from riata.reranking.lists import BestOutputs, Values
from riata.scoring.significance import PairedComparison, paired_test
from riata.showing.table import Table, as_text

LENGTHS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class RankingReport:
    """Scores in per cent. base: of the first output of every list. oracle: of the best one of its first k, by k."""

    base: float
    score: float
    oracle: dict[int, float]
    found: float  # per cent of sentences whose truth is in the list
    gain: PairedComparison

    def tables(self) -> list[Table]:
        gain = f"{self.gain.difference:+.2f}, p = {self.gain.p_value:.4f} (paired approximate randomisation)"
        title = (
            f"base {self.base:.2f}, reranked {self.score:.2f}: {gain}; the truth is in {self.found:.1f} % of the lists"
        )
        return [Table(title, ("outputs", "best of them"), [(k, value) for k, value in self.oracle.items()])]

    def __str__(self) -> str:
        return as_text(*self.tables())

    def _repr_html_(self) -> str:
        return self.tables()[0].to_html()


def ranking_report(lists: BestOutputs, chosen: Sequence[int]) -> RankingReport:
    """chosen: the number of the output that was chosen from every list."""
    judged, starts = lists.judged()
    wrong = judged.errors()
    units = judged_units(lists)

    def rows(numbers: Sequence[int] | Values) -> Any:
        return judged.rows[starts[:-1] + np.asarray(numbers, np.int64)]

    def score(numbers: Any) -> float:
        return float(judged.statistic(rows(numbers).sum(axis=0)))

    longest = max(map(len, lists.ids), default=1)
    lengths = [k for k in LENGTHS if k < longest] + [longest]
    sizes = np.diff(starts)
    best = {
        k: [int(np.argmin(wrong[at : at + min(k, size)])) for at, size in zip(starts, sizes, strict=False)]
        for k in lengths
    }
    first = [0] * len(sizes)
    in_list = np.mean([wrong[at : at + size].min() == 0 for at, size in zip(starts, sizes, strict=False)])
    return RankingReport(
        score(first),
        score(chosen),
        {k: score(numbers) for k, numbers in best.items()},
        100 * float(in_list),
        paired_test(judged.statistic, units.sums(rows(chosen)), units.sums(rows(first))),
    )


@dataclass(frozen=True)
class ListScore:
    """Mean losses over lists from outside: of the chosen outputs, of the first ones by the scores given, of the best."""

    loss: float
    base: float
    oracle: float
    lists: int
    tokens: int = 0

    @property
    def metrics(self) -> dict[str, float]:
        return {"loss": self.loss, "base": self.base, "oracle": self.oracle}

    def tables(self) -> list[Table]:
        title = f"mean loss of the outputs of {self.lists:,} lists"
        return [Table(title, ("chosen", "first by score", "best in the list"), [(self.loss, self.base, self.oracle)])]


def list_score(lists: Sequence[Listed], chosen: Sequence[int]) -> ListScore:
    losses = [one.losses for one in lists if one.losses is not None]
    if not losses:
        raise DataError("there are no lists to score.")
    each = np.array([(of[number], of[0], of.min()) for of, number in zip(losses, chosen, strict=True)])
    chosen_loss, first, best = each.mean(axis=0).tolist()
    return ListScore(chosen_loss, first, best, len(losses))


def judged_units(lists: BestOutputs) -> Any:
    from riata.scoring.resampling import units_of

    return units_of(lists.corpus.document, len(lists.ids))


def base_and_oracle(lists: BestOutputs) -> dict[str, float]:
    """In per cent the main score of the first outputs, and of the best ones."""
    judged, starts = lists.judged()
    wrong = judged.errors()
    best = [low + int(np.argmin(wrong[low:high])) for low, high in pairwise(starts)]
    return {
        name: float(judged.statistic(judged.rows[numbers].sum(axis=0)))
        for name, numbers in (("base", starts[:-1]), ("oracle", best))
    }
