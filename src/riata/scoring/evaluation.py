"""Scores of one output against gold, as every caller needs them: a report, an interval, metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riata.data.types import Column, Ids, Starts
from riata.scoring.accuracy import TagReport, count_tags, tag_report
from riata.scoring.counts import CountRow, Counts, Scores, accuracy_of
from riata.scoring.resampling import SampledUnits, units_of
from riata.scoring.significance import Interval, Statistic, bootstrap_interval
from riata.scoring.spans import SpanReport, count_spans, f1_of, precision_of, recall_of, report
from riata.scoring.trees import TreeReport, count_trees, las_of, las_universal_of, tree_report, uas_of
from riata.showing.table import Cell, Table

# By name, the metrics that are statistics of summed rows.
STATISTICS: Mapping[str, Statistic] = {
    "precision": precision_of,
    "recall": recall_of,
    "f1": f1_of,
    "accuracy": accuracy_of,
    "uas": uas_of,
    "las": las_of,
    "las_universal": las_universal_of,
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    report: SpanReport | TagReport | TreeReport
    rows: Counts  # [S, K] counts per sentence
    statistic: Callable[[Any], Any]  # of summed rows: the main score in per cent
    more: Mapping[str, float] = field(default_factory=dict)  # other metrics
    document: Ids | None = None  # [S] the document of each sentence; None: none are marked

    @property
    def score(self) -> float:
        """The main score in per cent: span F1, accuracy, or LAS."""
        return float(self.statistic(self.rows.sum(axis=0)))

    @property
    def main(self) -> str:
        """The name of the main score among the metrics."""
        return next(name for name, statistic in STATISTICS.items() if statistic is self.statistic)

    def errors(self) -> Scores:
        """[S] wrong and missed chunks of every sentence, or its tokens with a wrong label."""
        if self.statistic is f1_of:
            return np.asarray(self.rows[:, 3] + self.rows[:, 4] - 2 * self.rows[:, 2], np.float64)
        return np.asarray(self.rows[:, 1] - self.rows[:, 0], np.float64)

    @property
    def metrics(self) -> dict[str, float]:
        """In per cent, by the names of the JSON contract."""
        return {**self.report.metrics, **self.more}

    def __repr__(self) -> str:
        metrics = ", ".join(f"{name} {value:.2f}" for name, value in self.metrics.items())
        return f"<Evaluation of {len(self.rows):,} sentences: {metrics}>"

    def __str__(self) -> str:
        """The table that `riata evaluate` prints."""
        from riata.showing.table import as_text

        return as_text(*filter(None, [self.table(), self._more()]))

    def _repr_html_(self) -> str:
        from riata.showing.notebook import page

        more = self._more()
        return page(self.table().to_html(), f"<p>{more}</p>" if more else "")

    def table(self, title: str = "") -> Table:
        """Scores by type or label, and the interval of the main score."""

        return report_table(self.report, title, self.interval() if len(self.rows) else None, str(self.units))

    def _more(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in self.more.items())

    @property
    def units(self) -> SampledUnits:
        """What intervals and tests resample: documents, where enough are marked, else sentences."""
        return units_of(self.document, len(self.rows))

    @property
    def resampled(self) -> Counts:
        """[U, K] counts per document, where enough are marked, else per sentence: what intervals and paired tests take."""
        return self.units.sums(self.rows)

    def interval(self, samples: int = 1000, seed: int = 0) -> Interval:
        """Of the main score: 95 %, bootstrap over documents where enough are marked, else over sentences."""
        return bootstrap_interval(self.statistic, self.resampled, samples=samples, seed=seed)


def evaluate(labels: Sequence[str], gold: Ids, predicted: Ids, starts: Starts, *, chunks: bool) -> Evaluation:
    if chunks:
        spans = count_spans(labels, gold, predicted, starts)
        return Evaluation(report(spans), spans.rows(), f1_of)
    tags = count_tags(labels, gold, predicted, starts)
    return Evaluation(tag_report(tags), tags.rows(), accuracy_of)


def evaluate_trees(gold: tuple[Column, Column], found: tuple[Column, Column], starts: Starts) -> Evaluation:
    """Heads and relations against those of gold."""
    trees = count_trees(gold, found, starts)
    return Evaluation(tree_report(trees), trees.rows(), las_of)


def evaluate_column(gold: Column, predicted: Ids, labels: Sequence[str], starts: Starts, *, chunks: bool) -> Evaluation:
    """Predicted ids of `labels` against a gold column, which may hold labels of its own."""
    known, gold_ids = with_labels_of(gold, labels)
    return evaluate(known, gold_ids, predicted, starts, chunks=chunks)


def with_labels_of(gold: Column, labels: Sequence[str]) -> tuple[list[str], Ids]:
    """The labels and after them those that only gold has, and gold as ids of that list."""
    known = list(labels)
    at = {label: i for i, label in enumerate(known)}
    for text in gold.alphabet.texts():
        if text not in at:
            at[text] = len(known)
            known.append(text)
    table = np.array([at[text] for text in gold.alphabet.texts()], np.int32)
    return known, table[gold.ids]


COLUMNS = ("precision", "recall", "F1", "gold", "found", "correct")
MOST = 15  # labels
UNNAMED = "(unnamed)"  # the type of chunks whose labels are B, I and O alone


def report_table(
    report: SpanReport | TagReport | TreeReport,
    title: str,
    interval: Interval | None = None,
    resampled: str = "sentences",
) -> Table:
    """resampled: what the interval is over, in words."""
    note = "" if interval is None else f": {interval.low:.2f} to {interval.high:.2f} (bootstrap over {resampled})"
    if isinstance(report, TreeReport):
        return _tree_table(report, title, note)
    return _span_table(report, title, note) if isinstance(report, SpanReport) else _tag_table(report, title, note)


def _span_table(report: SpanReport, title: str, interval: str) -> Table:
    """Every chunk type, and all of them together."""
    note = _note(f"accuracy {report.accuracy:.2f} of {report.tokens:,} {report.unit}", "F1", interval)
    return Table(
        title, ("type", *COLUMNS), [_row(row.type or UNNAMED, row) for row in report.rows], note, _row("all", report)
    )


def _tag_table(report: TagReport, title: str, interval: str) -> Table:
    """The most frequent labels."""
    accuracy = (
        f"accuracy {report.accuracy:.2f} of {report.tokens:,} tokens; {report.sentence_accuracy:.2f} of sentences"
    )
    return Table(title, ("label", *COLUMNS), _most_frequent(report.rows), _note(accuracy, "accuracy", interval))


def _tree_table(report: TreeReport, title: str, interval: str) -> Table:
    """The most frequent relations."""
    scores = (
        f"UAS {report.uas:.2f}, LAS {report.las:.2f}, without subtypes {report.las_universal:.2f} of {report.tokens:,} tokens; "
        f"{report.whole:.2f} of sentences"
    )
    lengths = ", ".join(f"{row.lengths}: {row.uas:.2f} {row.las:.2f}" for row in report.lengths)
    note = _note(f"{scores}\nUAS and LAS by length of sentences: {lengths}", "LAS", interval)
    return Table(title, ("relation", *COLUMNS), _most_frequent(report.rows), note)


def _most_frequent(rows: Sequence[CountRow]) -> list[tuple[Cell, ...]]:
    ordered = sorted(rows, key=lambda row: -row.gold)
    shown = [_row(row.type, row) for row in ordered[:MOST]]
    if len(rows) > MOST:
        shown.append((f"… {len(rows) - MOST} more", *[""] * len(COLUMNS)))
    return shown


def _row(name: str, row: Any) -> tuple[Cell, ...]:
    return name, row.precision, row.recall, row.f1, row.gold, row.found, row.correct


def _note(text: str, name: str, interval: str) -> str:
    return f"{text}\n95 % interval of {name}{interval}" if interval else text
