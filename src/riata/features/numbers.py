"""Columns of numbers, which number(...) templates read."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from riata.data.token_vectors import LARGEST
from riata.data.types import Corpus
from riata.errors import DataError


def numbers_of(corpus: Corpus, column: int) -> NDArray[np.float64]:
    """The numbers of a column, token by token."""
    source = corpus.columns[column]
    table = np.zeros(len(source.alphabet))
    used = source.used()
    for i, text in zip(used, source.alphabet.texts_of(used), strict=True):
        try:
            table[i] = float(text)
        except ValueError:
            table[i] = math.nan
        if not abs(table[i]) <= LARGEST:
            token = int(np.argmax(source.ids == i))
            raise DataError(
                f"column {column} holds {text!r}, which number({column}) cannot use; expected a finite number up to {LARGEST:g}.",
                remedy="Mend the value, or leave number(...) out of the template.",
                file=corpus.name,
                line=corpus.line_of(token),
            )
    return np.asarray(table[source.ids])


def shifted(values: NDArray[np.float64], starts: NDArray[np.int64], offset: int) -> NDArray[np.float64]:
    """values[t + offset] within each sentence, 0 outside it."""
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    at = np.arange(len(values)) + offset
    inside = (at >= starts[sentence]) & (at < starts[sentence + 1])
    return np.where(inside, values[np.clip(at, 0, max(len(values) - 1, 0))], 0.0)
