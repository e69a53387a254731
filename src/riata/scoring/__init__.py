"""Scores of predicted labels: chunks as conlleval counts them, tags, and whether a difference is chance."""

from riata.data.encodings.base import spans_of
from riata.scoring.accuracy import (
    TagCounts,
    TagReport,
    count_tags,
    sentence_accuracy,
    sentence_accuracy_of,
    tag_report,
    token_accuracy,
)
from riata.scoring.counts import CountRow as Row
from riata.scoring.counts import accuracy_of
from riata.scoring.significance import Interval, Statistic, bootstrap_interval, holm, paired_test
from riata.scoring.significance import PairedComparison as Comparison
from riata.scoring.spans import SpanCounts, SpanReport, count_spans, f1_of, precision_of, recall_of, report

__all__ = [
    "Comparison",
    "Interval",
    "Row",
    "SpanCounts",
    "SpanReport",
    "Statistic",
    "TagCounts",
    "TagReport",
    "accuracy_of",
    "bootstrap_interval",
    "count_spans",
    "count_tags",
    "f1_of",
    "holm",
    "paired_test",
    "precision_of",
    "recall_of",
    "report",
    "sentence_accuracy",
    "sentence_accuracy_of",
    "spans_of",
    "tag_report",
    "token_accuracy",
]
