"""Fast prediction: a chain model folded by word types (native/inference/structures/folded.hpp), and the part of it that Python does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from riata._core import Alphabet, ChainWeights, FeatureIndex, Folded, NamedChain, Rules, StoredChain
from riata.data.types import Corpus, Ids
from riata.errors import ModelFileError
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.letters import teach
from riata.inference.rules.legality import Mask
from riata.inference.structure import EXACT
from riata.models.outputs import Outputs, of_kind
from riata.models.parts import ngram_sizes, weight_bytes

RiskArguments: TypeAlias = tuple[dict[str, Any], Ids, Mask]  # a Risk, and which chunks labels stand for

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


MOST_FEW_TOKENS = 1000  # tokens that a loaded model labels before its weights are unpacked
MOST_FEW_BYTES = 16 << 20  # bytes of the weights of these tokens


class StoredWeights:
    """Checked stored weights. The index and the weights, which take time and memory, are created when they are first needed."""

    def __init__(
        self, features: Features, stored: StoredChain, outputs: Outputs, *, local: bool, truncated: bool
    ) -> None:
        """Whether the scores of every step are normalised by themselves, or truncated."""
        self._features, self._stored, self._outputs = features, stored, outputs
        self._local, self._truncated = local, truncated
        self._left = MOST_FEW_TOKENS
        if stored.ordered:
            features.fill_later(stored.enter)
        else:
            stored.enter(features.index)

    def unfolded(self) -> ChainWeights:
        return self._weights_of(self._features.index, self._stored.weights)

    def takes(self, tokens: int) -> bool:
        """Whether `predict_few` may label so many tokens more."""
        features = self._features
        return tokens <= self._left and self._stored.ordered and foldable(features) and not features.program.history

    def predict_few(self, corpus: Corpus) -> Ids | None:
        """The label ids of the tokens, if there are only few, with the weights of their own n-grams only.

        None if there are more tokens.
        """
        features = self._features
        if not self.takes(corpus.tokens):
            return None
        self._left -= corpus.tokens
        index = features.empty_index()
        instances = features.limited(index.extend(features.values(corpus), corpus.starts, 1, 1), corpus)
        if weight_bytes(features, ngram_sizes(features, index), len(self._outputs.labels)) > MOST_FEW_BYTES:
            return None
        return self._weights_of(index, self._stored.weights_of).decode(index, instances, vars(EXACT))

    def _weights_of(
        self, index: FeatureIndex, unfolded: Callable[[FeatureIndex, ChainWeights], ChainWeights]
    ) -> ChainWeights:
        try:
            blank = of_kind(self._outputs.new_weights(self._features, ChainWeights), ChainWeights)
            weights = unfolded(index, blank)
        except MemoryError:
            raise ModelFileError("the model asks for more memory than there is.") from None
        weights.local, weights.truncated = self._local, self._truncated
        return weights


class NamedModel:
    """Gives the same labels as the model, including ties."""

    def __init__(self, features: Features, weights: ChainWeights) -> None:
        self._features, self._weights = features, weights
        self._native = NamedChain(features.index, weights, features.given)

    def meet_known(self) -> None:
        """Nothing to prepare: names are looked up in the alphabet of training."""

    def predict(self, corpus: Corpus, threads: int = 1) -> Ids:
        return self._weights.decode(self._features.index, self._features.instances(corpus), vars(EXACT))

    def least_risk(self, corpus: Corpus, threads: int, risk: RiskArguments) -> Ids | None:
        """There is no faster way than that of the model."""
        return None

    def label(
        self, sentences: list[Any], columns: int, labels: list[str], rules: Rules | None = None
    ) -> list[list[str]] | None:
        """The labels of plain sentences, lists of dictionaries; None for other input, and under rules, which must be checked first."""
        return None if rules is not None else self._native.label(sentences, labels)


def is_named(features: Features) -> bool:
    """Whether named features are all that is read of the input."""
    program = features.program
    return not (features.bits or features.lists or program.attributes or program.numbers or features.vectors)
