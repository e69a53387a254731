"""Estimators of two outputs per token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.memory import as_corpus
from riata.data.pairs import paired, split_column
from riata.data.recoding import Tags
from riata.data.types import Column, Corpus
from riata.errors import DataError
from riata.estimators.fitting import Fitting
from riata.estimators.keeping import Keeping
from riata.estimators.looking import Looking
from riata.learning.labels import LabelSet
from riata.learning.loop import Outcome

OUTPUTS = 2


class Pairs(Fitting, Looking, Keeping):
    """Two outputs per token, the last two columns of the data; y is a list of pairs per sentence. While a model is learnt or compared with
    gold, both are one column of pairs.
    """

    outputs = OUTPUTS
    outputs_called: tuple[str, str]  # what the outputs are called in messages

    @staticmethod
    def with_pairs(corpus: Corpus, y: Any) -> Corpus:
        """The corpus and, as two columns more, the outputs that are given apart from it."""
        raise NotImplementedError

    @staticmethod
    def check_gold(corpus: Corpus) -> None:
        """Refuses gold outputs, the last two columns, that nothing can be compared with."""

    def _training_data(self, *given: Any, fresh: bool) -> tuple[Corpus, Tags | None, NDArray[np.float64]]:
        """The corpus with pairs as its last column, whose chunk labels are legal."""
        data, tags, weights = super()._training_data(*given, fresh=fresh)
        self.check_gold(data)
        self._read_from = data.origins[-OUTPUTS:]
        return paired(data), tags, weights

    def with_output(self, X: Any, y: Any = None, *, unknown: bool = False) -> Corpus:
        """Pairs are always known."""
        corpus = as_corpus(X)
        if y is not None:
            return self.with_pairs(corpus, y)
        if corpus.width < OUTPUTS + 1:
            first, second = self.outputs_called
            raise DataError(
                f"training needs at least one input column, the {first} and the {second}; found {corpus.width} "
                f"column{'s' * (corpus.width != 1)}.",
                remedy=f"Give pairs as y, or {first} and {second} as the last two columns.",
                file=corpus.name,
            )
        return corpus

    def _keep(self, outcome: Outcome, data: Corpus, labels: LabelSet, sentences: int, tokens: int) -> None:
        super()._keep(outcome, data, labels, sentences, tokens)
        if outcome.model is not None:
            self.outputs_ = self._read_from

    def scored_columns(self, corpus: Corpus) -> Corpus:
        inputs = self.input_columns(corpus)
        same = corpus.format == self.format_ and set(self.outputs_) <= set(corpus.origins)
        gold = [corpus.origins.index(o) for o in self.outputs_] if same else [corpus.width - 2, corpus.width - 1]
        if gold[0] < 0 or any(corpus.origins[g] in inputs.origins for g in gold):
            first, second = self.outputs_called
            raise DataError(
                f"scoring needs the columns of {first} and of {second}; the data have {corpus.width} column{'s' * (corpus.width != 1)}.",
                remedy="Score a file that holds the gold labels too.",
                file=corpus.name,
            )
        columns = (*inputs.columns, *(corpus.columns[g] for g in gold))
        return replace(inputs, columns=columns, origin=(*inputs.origins, *(corpus.origins[g] for g in gold)))

    def _with_gold(self, X: Any, y: Any) -> Corpus:
        corpus = self.sentences(X)
        data = self.scored_columns(corpus) if y is None else self.with_pairs(self.input_columns(corpus), y)
        self.check_gold(data)
        return paired(data)

    def _gold_columns(self, data: Corpus) -> Sequence[Column]:
        return split_column(data.columns[-1])
