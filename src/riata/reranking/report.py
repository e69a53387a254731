"""What a reranker has to choose from, and what it makes of it: the oracle by length of the list, the base, and the gain with a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riata.errors import DataError
from riata.reranking.candidates import Listed
from riata.reranking.lists import BestOutputs
from riata.scoring.resampling import units_of
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


class _Scored:
    """The outputs of all lists against the gold labels."""

    def __init__(self, lists: BestOutputs) -> None:
        self.judged, starts = lists.judged()
        self.starts, self.longest = starts[:-1], max(map(len, lists.ids), default=1)
        self._wrong = np.split(self.judged.errors(), starts[1:-1])

    def best(self, k: int) -> list[int]:
        """The numbers of the outputs with the fewest errors among the first k."""
        return [int(np.argmin(wrong[:k])) for wrong in self._wrong]

    def found(self) -> float:
        """Per cent of the lists that have the truth."""
        return 100 * float(np.mean([wrong.min() == 0 for wrong in self._wrong]))

    def rows(self, numbers: Sequence[int]) -> Any:
        return self.judged.rows[self.starts + np.asarray(numbers, np.int64)]

    def score(self, numbers: Sequence[int]) -> float:
        return float(self.judged.statistic(self.rows(numbers).sum(axis=0)))


def ranking_report(lists: BestOutputs, chosen: Sequence[int]) -> RankingReport:
    """chosen: the number of the output that was chosen from every list."""
    scored, first = _Scored(lists), [0] * len(lists.ids)
    units = units_of(lists.corpus.document, len(lists.ids))
    lengths = [*(k for k in LENGTHS if k < scored.longest), scored.longest]
    rows = (units.sums(scored.rows(numbers)) for numbers in (chosen, first))
    return RankingReport(
        scored.score(first),
        scored.score(chosen),
        {k: scored.score(scored.best(k)) for k in lengths},
        scored.found(),
        paired_test(scored.judged.statistic, *rows),
    )


def base_and_oracle(lists: BestOutputs) -> dict[str, float]:
    """In per cent the main score of the first outputs, and of the best ones."""
    scored = _Scored(lists)
    return {"base": scored.score([0] * len(lists.ids)), "oracle": scored.score(scored.best(scored.longest))}


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
