"""Outputs of two columns, a tag and a chunk label per token, as one column of pairs and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from riata.data.memory import label_column, with_column
from riata.data.types import Column, Corpus
from riata.errors import DataError

BETWEEN = "\t"  # no column of a file holds one


def joined_text(tag: str, chunk: str) -> str:
    return f"{tag}{BETWEEN}{chunk}"


def shown(label: str) -> str:
    """A label, or a pair of them, for messages."""
    return label.replace(BETWEEN, " ")


def parts_of(text: str) -> tuple[str, str]:
    tag, _, chunk = text.partition(BETWEEN)
    return tag, chunk


def paired(corpus: Corpus) -> Corpus:
    """The corpus with its last two columns as one."""
    if corpus.width < 2:
        raise DataError("expected columns of tags and of chunk labels; found one column.", file=corpus.name)
    tags, chunks = corpus.columns[-2:]
    column = pair_column(tags, chunks, corpus.name)
    return replace(corpus, columns=(*corpus.columns[:-2], column), origin=(*corpus.origins[:-2], corpus.origins[-1]))


def pair_column(tags: Column, chunks: Column, name: str) -> Column:
    for column in (tags, chunks):
        for text in column.alphabet.texts_of(column.used()):
            if BETWEEN in text:
                raise DataError(f"the label {text!r} holds a tab.", remedy="Use labels without tabs.", file=name)
    width = len(chunks.alphabet)
    codes, ids = np.unique(tags.ids.astype(np.int64) * width + chunks.ids, return_inverse=True)
    of_tag, of_chunk = tags.alphabet.texts(), chunks.alphabet.texts()
    texts = [joined_text(of_tag[int(code) // width], of_chunk[int(code) % width]) for code in codes]
    column = Column.of(texts)  # all different, so numbered in this order
    return replace(column, ids=ids.reshape(-1).astype(np.int32))


def split_column(column: Column) -> tuple[Column, Column]:
    """The tags and the chunk labels of a column of pairs."""
    parts = [parts_of(text) for text in column.alphabet.texts()]
    found = []
    for k in range(2):
        labels = Column.of([part[k] for part in parts])
        found.append(Column(labels.alphabet, labels.ids[column.ids] if len(parts) else column.ids))
    return found[0], found[1]


def with_pairs(corpus: Corpus, labels: Any) -> Corpus:
    """The corpus and, as two columns more, pairs of a tag and a chunk label given apart from it."""
    if not isinstance(labels, (list, tuple)):
        return with_column(corpus, label_column(labels, corpus))  # which says what is wrong with them
    tags, chunks = ([_parts(sentence, s, k) for s, sentence in enumerate(labels)] for k in range(2))
    return with_column(with_column(corpus, label_column(tags, corpus)), label_column(chunks, corpus))


def _parts(sentence: Any, s: int, k: int) -> Any:
    """The k-th label of every pair; what is no list of pairs is left as it is, for label_column to refuse."""
    if not isinstance(sentence, (list, tuple)):
        return sentence
    for pair in sentence:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise DataError(
                f"sentence {s}: a label is {pair!r:.60}; expected a pair, a tag and a chunk label.",
                remedy="Give (tag, chunk label) for every token, such as ('DT', 'B-NP').",
            )
    return [pair[k] for pair in sentence]
