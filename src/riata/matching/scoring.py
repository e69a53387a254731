"""How good links are: precision, recall and alignment error rate (Och & Ney 2003, Sec. 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from riata.matching.pairs import Link, LinkedPair
from riata.showing.table import Table, as_text


@dataclass(frozen=True)
class LinkScores:
    """Counts over all pairs. AER = 1 - (found & sure + found & (sure or possible)) / (found + sure).

    >>> scores = riata.Matcher().fit([(["un"], ["one"])], [[(0, 0)]]).evaluate([(["un"], ["one"])], [[(0, 0)]])
    >>> scores.metrics
    {'precision': 100.0, 'recall': 100.0, 'aer': 0.0}
    """

    found: int
    sure: int
    found_sure: int
    found_possible: int  # sure ones too
    pairs: int
    tokens: int  # of both sides

    @property
    def metrics(self) -> dict[str, float]:
        """In per cent; without any link, nothing is wrong."""
        both = self.found + self.sure
        return {
            "precision": 100 * self.found_possible / self.found if self.found else 100.0,
            "recall": 100 * self.found_sure / self.sure if self.sure else 100.0,
            "aer": 100 * (1 - (self.found_sure + self.found_possible) / both) if both else 0.0,
        }

    def tables(self) -> list[Table]:
        head = ("pairs", "found", "sure", "precision", "recall", "AER")
        row = (self.pairs, self.found, self.sure, *self.metrics.values())
        return [Table("Links", head, [row])]

    def __str__(self) -> str:
        return as_text(*self.tables())


def score_links(pairs: Sequence[LinkedPair], found: Iterable[Iterable[Link]]) -> LinkScores:
    """Scores the links that were found against the true ones of the pairs."""
    found_all = sure_all = found_sure = found_possible = 0
    for pair, links in zip(pairs, found, strict=True):
        sure, chosen = set(pair.sure), set(links)
        found_all += len(chosen)
        sure_all += len(sure)
        found_sure += len(chosen & sure)
        found_possible += len(chosen & (sure | set(pair.possible)))
    tokens = sum(sum(pair.shape) for pair in pairs)
    return LinkScores(found_all, sure_all, found_sure, found_possible, len(pairs), tokens)
