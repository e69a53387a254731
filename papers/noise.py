"""Noise: labels of training data that are wrong on purpose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riata.data.types import Column, Corpus


def with_noise(data: Corpus, share: float, seed: int) -> Corpus:
    """The data with this share of all labels, those of the last column, replaced by others. Tokens and new labels are drawn evenly."""
    if not share:
        return data
    drawn, column = np.random.default_rng(seed), data.columns[-1]
    labels = len(column.alphabet.texts())
    at = drawn.choice(len(column.ids), round(share * len(column.ids)), replace=False)
    ids = column.ids.copy()
    ids[at] = (ids[at] + drawn.integers(1, labels, len(at))) % labels
    return replace(data, columns=(*data.columns[:-1], Column(column.alphabet, ids)))
