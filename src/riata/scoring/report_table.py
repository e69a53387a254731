"""Scores by type or label as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riata.scoring.accuracy import TagReport
from riata.scoring.counts import Row
from riata.scoring.significance import Interval
from riata.scoring.spans import SpanReport
from riata.scoring.trees import TreeReport
from riata.showing.table import Cell, Table

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


def _most_frequent(rows: Sequence[Row]) -> list[tuple[Cell, ...]]:
    ordered = sorted(rows, key=lambda row: -row.gold)
    shown = [_row(row.type, row) for row in ordered[:MOST]]
    if len(rows) > MOST:
        shown.append((f"… {len(rows) - MOST} more", *[""] * len(COLUMNS)))
    return shown


def _row(name: str, row: Any) -> tuple[Cell, ...]:
    return name, row.precision, row.recall, row.f1, row.gold, row.found, row.correct


def _note(text: str, name: str, interval: str) -> str:
    return f"{text}\n95 % interval of {name}{interval}" if interval else text
