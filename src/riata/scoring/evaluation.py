"""Scores of one output against gold, as every caller needs them: a report, an interval, metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from riata.data.types import Ids, Starts
from riata.scoring.accuracy import TagReport, count_tags, tag_report
from riata.scoring.counts import Counts, accuracy_of
from riata.scoring.significance import Interval, bootstrap_interval
from riata.scoring.spans import SpanReport, count_spans, f1_of, report


@dataclass(frozen=True, eq=False)
class Evaluation:
    report: SpanReport | TagReport
    rows: Counts  # [S, K] counts per sentence, for tests between outputs
    statistic: Callable[[Any], Any]  # of summed rows: the main score in per cent

    @property
    def metrics(self) -> dict[str, float]:
        """In per cent, by the names of the JSON contract."""
        if isinstance(self.report, TagReport):
            return {"accuracy": self.report.accuracy}
        r = self.report
        return {"precision": r.precision, "recall": r.recall, "f1": r.f1, "accuracy": r.accuracy}

    def interval(self, samples: int = 1000, seed: int = 0) -> Interval:
        return bootstrap_interval(self.statistic, self.rows, samples=samples, seed=seed)


def evaluate(labels: Sequence[str], gold: Ids, predicted: Ids, starts: Starts, *, chunks: bool) -> Evaluation:
    if chunks:
        spans = count_spans(labels, gold, predicted, starts)
        return Evaluation(report(spans), spans.rows(), f1_of)
    tags = count_tags(labels, gold, predicted, starts)
    return Evaluation(tag_report(tags), tags.rows(), accuracy_of)
