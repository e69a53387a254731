"""Fast prediction: a chain model folded by word types (native/inference/structures/folded.hpp), and what Python does for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from riata._core import Alphabet, ChainWeights, Folded
from riata.data.types import Corpus, Ids
from riata.features.attributes import builtin
from riata.features.compile import Features

MOST_BYTES = 64 << 20  # of word types that are remembered; past it they are forgotten and met anew


class FoldedModel:
    """Gives the labels that the model gives, to the last tie."""

    def __init__(self, features: Features, weights: ChainWeights) -> None:
        self._features, self._weights = features, weights  # the native side refers to them
        known = builtin()
        names = [
            name if features.functions.get(name) is known.get(name, features) else ""
            for name, _ in features.program.attributes
        ]
        self._native = Folded(features.index, weights, names, features.alphabets)

    def meet_known(self) -> None:
        """Enters the types of training where that is cheap: where nothing but the text itself is read of them."""
        for c in range(self._native.columns):
            attributes = self._native.attributes(c)
            if [self._features.program.attributes[a][0] for a in attributes] == ["identity"]:
                texts = self._features.alphabets[attributes[0]]
                self._native.resolve(c, texts, np.arange(len(texts), dtype=np.int32))

    def predict(self, corpus: Corpus, threads: int = 1) -> Ids:
        native = self.table()
        types = []
        for c in range(native.columns):
            if not native.attributes(c):
                types.append(np.empty(0, np.int32))
                continue
            column = corpus.columns[c]
            table, missing = native.resolve(c, column.alphabet, column.ids)
            if len(missing):
                table[missing] = self._add(native, c, column.alphabet, missing.tolist())
            types.append(table[column.ids])
        return native.decode(types, corpus.starts, threads)

    def label(self, sentences: list[Any], columns: int, labels: list[str]) -> list[list[str]] | None:
        """The labels of plain sentences, lists of strings or of tuples of strings; None where they need a closer look."""
        return self.table().label(sentences, columns, labels)

    def table(self) -> Folded:
        """The types met so far, or a new table where there are too many. Whoever has the old one can go on with it."""
        if self._native.bytes > MOST_BYTES:
            self._native = self._native.fresh()
        return self._native

    def _add(self, native: Folded, column: int, alphabet: Alphabet, ids: Iterable[int]) -> list[int]:
        texts = [alphabet.text(i) for i in ids]
        values = [self._features.look_up(a, texts) for a in native.attributes(column)]
        return [native.add(column, text, row) for text, *row in zip(texts, *values, strict=True)]


def foldable(features: Features) -> bool:
    """Whether every template reads word types, earlier labels, and nothing else."""
    program = features.program
    return bool(program.attributes) and not (features.bits or features.lists or program.numbers or len(features.given))
