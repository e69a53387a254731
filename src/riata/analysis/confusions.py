"""Which label is taken for which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from riata.analysis.outputs import Output


class Confusion(NamedTuple):
    """How often gold was taken for found. None: there was no such span."""

    gold: str | None
    found: str | None
    times: int


def label_confusions(output: Output, model: int = 0) -> Counter[tuple[str | None, str | None]]:
    """(gold label, found label) of tokens, right ones included."""
    width = len(output.labels)
    codes = output.gold.astype(np.int64) * width + output.found[model]
    labels = output.labels
    cells = zip(*(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True)
    return Counter({(labels[code // width], labels[code % width]): count for code, count in cells})


def most_frequent(counts: Mapping[tuple[str | None, str | None], int]) -> tuple[Confusion, ...]:
    """The wrong ones, most frequent first."""
    wrong = [Confusion(gold, found, count) for (gold, found), count in counts.items() if gold != found]
    return tuple(sorted(wrong, key=lambda c: (-c.times, c.gold or "", c.found or "")))


def matrix(confusions: Mapping[tuple[str | None, str | None], int], most: int) -> tuple[list[str | None], Any]:
    """The labels that are most often confused, and [gold, found] how often each was taken for each."""
    often: Counter[str | None] = Counter()
    for (gold, found), count in confusions.items():
        for label in {gold, found} if gold != found else ():
            often[label] += count
    labels = [label for label, _ in sorted(often.items(), key=lambda item: (item[0] is None, -item[1], item[0] or ""))]
    kept = [label for label in labels if label is not None][:most] + [None] * (None in labels)
    cells = np.array([[confusions.get((gold, found), 0) for found in kept] for gold in kept], np.float64)
    return kept, cells
