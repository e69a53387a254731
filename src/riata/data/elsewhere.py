"""Which column of a file might have been meant as the output, where the one that was taken says nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from riata.data.conllu_fields import FIELDS, LABELS
from riata.data.types import Column, Corpus
from riata.errors import shortened

MOST = 2_000  # different values of a column of labels
EXAMPLES = 3
EMPTY = "_"  # in CoNLL-U


def elsewhere(corpus: Corpus) -> str:
    """The columns of a file, read whole, that hold several labels, each with some of them; empty where there is none."""
    return "; ".join(_candidates(corpus))


def says_nothing(column: Column) -> bool:
    return len(column.used()) <= 1


def empty_gold(gold: Column, known: Collection[str], corpus: Corpus, who: str) -> str:
    """What to say of gold labels that are all the same and that nobody gives; empty where they can be scored.

    known: the labels that can be right. who: what the sentence says of a label that is not among them. corpus: the file that holds them,
    read whole.
    """
    used = gold.used()
    label = gold.alphabet.text(int(used[0])) if len(used) == 1 else ""
    if not label or (label in known and label != EMPTY):
        return ""
    why = "an empty value" if label == EMPTY else f"which {who}"
    columns = elsewhere(corpus)
    remedy = (
        f"Columns with several values: {columns}. Choose one with --outputs." if columns else "Is it the right file?"
    )
    return f"Every gold label in {corpus.name} is {shortened(repr(label))}, {why}, so the score says nothing. {remedy}"


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
