"""Outputs of two columns, a tag and a chunk label per token, as one column of pairs and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riata.data.encodings.base import Encoding
from riata.data.memory import label_column, with_column
from riata.data.recoding import Recoder
from riata.data.types import Column, Corpus, Ids, Starts, interned
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


def unpaired(corpus: Corpus) -> Corpus:
    """The inverse."""
    columns = (*corpus.columns[:-1], *split_column(corpus.columns[-1]))
    return replace(corpus, columns=columns, origin=(*corpus.origins, corpus.origins[-1]))


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


@dataclass(frozen=True, eq=False)
class PairRecoder:
    """As Recoder (recoding.py), of pairs whose chunk labels are written in one encoding and another."""

    labels: list[str]
    table: Ids | None
    _tags: Ids  # [L] what to add for the tag
    _chunks: Ids  # [L] the chunk label, for:
    _recoder: Recoder

    @classmethod
    def of(cls, labels: Sequence[str], source: Encoding, target: Encoding) -> PairRecoder:
        tags, chunks = split_column(Column.of(labels))
        recoder = Recoder.of(chunks.alphabet.texts(), source, target)
        texts = [joined_text(tag, chunk) for tag in tags.alphabet.texts() for chunk in recoder.labels]
        first = (tags.ids * len(recoder.labels)).astype(np.int32)
        table = None if recoder.table is None else first + recoder.table[chunks.ids]
        return cls(texts, table, first, chunks.ids, recoder)

    def ids(self, ids: Ids, starts: Starts) -> Ids:
        found: Ids = self._tags[ids] + self._recoder.ids(self._chunks[ids], starts)
        return found

    def column(self, ids: Ids, starts: Starts) -> Column:
        return Column(interned(self.labels)[0], self.ids(ids, starts))


def with_pairs(corpus: Corpus, labels: Any) -> Corpus:
    """The corpus and, as two columns more, pairs of a tag and a chunk label given apart from it."""
    return with_parts(corpus, labels, _parts)


def with_parts(corpus: Corpus, pairs: Any, parts: Callable[[Any, int, int], Any]) -> Corpus:
    """The corpus and two columns more, from pairs given apart from it, a list for every sentence.

    parts: gives the k-th part of every pair of a sentence, from (sentence, its number, k), and refuses what is no pair.
    """
    if not isinstance(pairs, (list, tuple)):
        return with_column(corpus, label_column(pairs, corpus))  # which says what is wrong with them
    first, second = ([parts(sentence, s, k) for s, sentence in enumerate(pairs)] for k in range(2))
    return with_column(with_column(corpus, label_column(first, corpus)), label_column(second, corpus))


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
