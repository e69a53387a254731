"""Which column of a file might have been meant as the output, where the one that was taken says nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from riata.data.conllu_fields import FIELDS, LABELS
from riata.data.types import Column, Corpus

MOST = 2_000  # different values of a column of labels
EXAMPLES = 3


def elsewhere(corpus: Corpus) -> str:
    """The columns of a file, read whole, that hold several labels, each with some of them; empty where there is none."""
    return "; ".join(_candidates(corpus))


def says_nothing(column: Column) -> bool:
    return len(column.used()) <= 1


def _candidates(corpus: Corpus) -> Iterator[str]:
    conllu = corpus.format == "conllu" and corpus.width == len(FIELDS)
    for number, column in enumerate(corpus.columns):
        if number == 0 or (conllu and FIELDS[number] not in LABELS):
            continue
        counts = np.bincount(column.ids, minlength=len(column.alphabet))
        values = int(np.count_nonzero(counts))
        if 1 < values <= MOST:
            often = np.argsort(-counts, kind="stable")[:EXAMPLES]
            texts = ", ".join(column.alphabet.text(int(i)) for i in often if counts[i])
            yield f"{FIELDS[number] if conllu else number} ({values:,} values: {texts}{', …' * (values > EXAMPLES)})"
