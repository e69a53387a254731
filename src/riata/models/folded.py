"""Fast prediction: a chain model folded by word types (native/inference/structures/folded.hpp), and the part of it that Python does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from riata._core import Alphabet, ChainWeights, Folded, Rules
from riata.data.types import Corpus, Ids
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.letters import teach
from riata.inference.rules.legality import Flags

RiskArguments: TypeAlias = tuple[dict[str, Any], Ids, Flags]  # a Risk, and which chunks labels stand for

MOST_BYTES = 64 << 20  # bytes of word types that are stored; above it all are dropped and added again when they occur


class FoldedModel:
    """Gives the same labels as the model, including ties."""

    def __init__(self, features: Features, weights: ChainWeights) -> None:
        self._features, self._weights = features, weights  # the native side refers to them
        known = builtin()
        names = [
            name if features.functions.get(name) is known.get(name, features) else ""
            for name, _ in features.program.attributes
        ]
        dictionary = None if features.dictionary is None else features.dictionary.frequent()
        self._native = Folded(features.index, weights, names, features.alphabets, dictionary)

    def meet_known(self) -> None:
        """Adds the types of training data if that is cheap: if only their texts are read."""
        for c in range(self._native.columns):
            attributes = self._native.attributes(c)
            if [self._features.program.attributes[a][0] for a in attributes] == ["identity"]:
                texts = self._features.alphabets[attributes[0]]
                self._native.resolve(c, texts, np.arange(len(texts), dtype=np.int32))

    def predict(self, corpus: Corpus, threads: int = 1) -> Ids:
        return self._decoded(corpus, threads)

    def least_risk(self, corpus: Corpus, threads: int, risk: RiskArguments) -> Ids | None:
        """The labels of least expected loss."""
        return self._decoded(corpus, threads, risk)

    def _decoded(self, corpus: Corpus, threads: int, risk: RiskArguments | None = None) -> Ids:
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
        return native.decode(types, corpus.starts, threads, risk)

    def label(
        self, sentences: list[Any], columns: int, labels: list[str], rules: Rules | None = None
    ) -> list[list[str]] | None:
        """The labels of plain sentences, lists of strings or of tuples of strings; None for other input, which must be checked first, and
        if labels break rules.
        """
        return self.table().label(sentences, columns, labels, rules)

    def table(self) -> Folded:
        """The types met so far, or a new table if there are too many. Threads that have the old table can continue to use it."""
        if self._native.bytes > MOST_BYTES:
            self._native = self._native.fresh()
        return self._native

    def _add(self, native: Folded, column: int, alphabet: Alphabet, ids: Iterable[int]) -> list[int]:
        texts = [alphabet.text(i) for i in ids]
        teach(texts)  # next time, the core will find their types
        values = [self._features.look_up(a, texts) for a in native.attributes(column)]
        return [native.add(column, text, row) for text, *row in zip(texts, *values, strict=True)]


def foldable(features: Features) -> bool:
    """Whether templates read nothing but word types and earlier labels."""
    program = features.program
    return bool(program.attributes) and not (
        features.bits or features.lists or program.numbers or len(features.given) or features.vectors
    )
