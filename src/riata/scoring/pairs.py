"""Scores of tags and chunk labels that were predicted together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from riata.data.pairs import split_column
from riata.data.types import Column, Ids, Starts, interned
from riata.scoring.evaluation import Evaluation, evaluate


def evaluate_pairs(gold: Column, predicted: Ids, labels: Sequence[str], starts: Starts) -> Evaluation:
    """Predicted numbers of `labels` against a gold column of pairs: the spans of the chunk labels, and the accuracy of tags and of both."""
    found = Column(interned(labels)[0], predicted)
    return evaluate_columns(split_column(gold), split_column(found), starts)


def evaluate_columns(gold: tuple[Column, Column], found: tuple[Column, Column], starts: Starts) -> Evaluation:
    """The same of columns of tags and of chunk labels."""
    right = []
    for one, other in zip(gold, found, strict=True):
        both = _numbered(one, other)
        right.append(both[1] == both[2])
    labels, gold_ids, found_ids = _numbered(gold[1], found[1])
    spans = evaluate(labels, gold_ids, found_ids, starts, chunks=True)
    accuracies = {"tag_accuracy": right[0], "joint_accuracy": right[0] & right[1]}
    more = {name: 100 * float(np.mean(each)) if len(each) else 0.0 for name, each in accuracies.items()}
    return replace(spans, more=more)


def _numbered(one: Column, other: Column) -> tuple[list[str], Ids, Ids]:
    """Both columns as numbers of one list of labels."""
    texts = list(dict.fromkeys([*one.alphabet.texts(), *other.alphabet.texts()]))
    at = {text: i for i, text in enumerate(texts)}
    tables = [np.array([at[text] for text in column.alphabet.texts()], np.int32) for column in (one, other)]
    return texts, tables[0][one.ids], tables[1][other.ids]
