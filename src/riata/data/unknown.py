"""Labels that nobody knows: how they are written, and which sentences have some."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Column, Corpus
from riata.errors import DataError
from riata.settings import ANY, Setting

UNKNOWN = ""  # as a label; no file has an empty column
UNKNOWN_LABELS = "unknown labels"  # an operation
MARK = Setting(
    "unknown",
    "",
    "labels written so are unknown, and all that they may be is summed over",
    needs={ANY: (UNKNOWN_LABELS,)},
)


def is_unknown(column: Column) -> NDArray[np.bool_]:
    """[N] whether the label of a token is unknown."""
    table = np.array([text == UNKNOWN for text in column.alphabet.texts()], np.bool_)
    return table[column.ids] if len(table) else np.zeros(0, np.bool_)


def hidden(corpus: Corpus, mark: str) -> Corpus:
    """The corpus whose labels, in the last column, are unknown where they are written so."""
    column = corpus.columns[-1]
    if not mark or mark not in column.alphabet.texts():
        return corpus
    texts = [UNKNOWN if text == mark else text for text in column.texts()]
    return replace(corpus, columns=(*corpus.columns[:-1], Column.of(texts)))


def check_some_known(corpus: Corpus) -> None:
    if is_unknown(corpus.columns[-1]).all():
        raise DataError("no label is known: there is nothing to learn.", file=corpus.name)


def check_all_known(dev: Corpus) -> None:
    """Refuses development data that cannot be scored."""
    unknown = is_unknown(dev.columns[-1])
    if unknown.any():
        token = int(np.argmax(unknown))
        raise DataError(
            f"the development data have {int(unknown.sum()):,} unknown labels, so they cannot be scored.",
            remedy="Give sentences with all labels as dev, or leave it out.",
            file=dev.name,
            line=dev.line_of(token),
        )
