"""The weights of a chain as they are stored in its file: most are zero, and many models only label a few sentences."""

from __future__ import annotations

from collections.abc import Callable

from riata._core import ChainWeights, FeatureIndex, StoredChain
from riata.data.types import Corpus, Ids
from riata.errors import ModelFileError
from riata.features.compile import Features
from riata.inference.decoder import EXACT
from riata.models.chain_parts import ngram_sizes, weight_bytes
from riata.models.folded import foldable
from riata.models.outputs import Outputs, of_kind

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
