"""Two outputs per token, the last two columns of the data; y is a list of pairs per sentence. While a model is learnt or compared with
gold, both are one column of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import Tags
from riata.data.memory import as_corpus
from riata.data.pairs import paired, split_column
from riata.data.types import Column, Corpus
from riata.errors import DataError
from riata.estimators.columns import Columns
from riata.estimators.fitting import Fitting
from riata.estimators.labels import Labels

OUTPUTS = 2


class PairLabels(Labels):
    """A pair of labels per token."""

    @staticmethod
    def with_pairs(corpus: Corpus, y: Any) -> Corpus:
        """The corpus and, as two columns more, the outputs that are given apart from it."""
        raise NotImplementedError


class PairColumns(Columns):
    """The last two columns are the output."""

    def with_output(self, X: Any, y: Any = None, *, unknown: bool = False) -> Corpus:
        """Pairs are always known."""
        corpus, labels = as_corpus(X), self.estimator.labels
        if y is not None:
            found: Corpus = labels.with_pairs(corpus, y)
            return found
        if corpus.width < OUTPUTS + 1:
            first, second = labels.names
            raise DataError(
                f"training needs at least one input column, the {first} and the {second}; found {corpus.width} "
                f"column{'s' * (corpus.width != 1)}.",
                remedy=f"Give pairs as y, or {first} and {second} as the last two columns.",
                file=corpus.name,
            )
        return corpus

    def scored_columns(self, corpus: Corpus) -> Corpus:
        inputs, outputs = self.input_columns(corpus), self.estimator.outputs_
        same = corpus.format == self.estimator.format_ and set(outputs) <= set(corpus.origins)
        gold = [corpus.origins.index(o) for o in outputs] if same else [corpus.width - 2, corpus.width - 1]
        if gold[0] < 0 or any(corpus.origins[g] in inputs.origins for g in gold):
            first, second = self.estimator.labels.names
            raise DataError(
                f"scoring needs the columns of {first} and of {second}; the data have {corpus.width} column{'s' * (corpus.width != 1)}.",
                remedy="Score a file that holds the gold labels too.",
                file=corpus.name,
            )
        columns = (*inputs.columns, *(corpus.columns[g] for g in gold))
        return replace(inputs, columns=columns, origin=(*inputs.origins, *(corpus.origins[g] for g in gold)))

    def with_gold(self, X: Any, y: Any) -> Corpus:
        corpus = self.sentences(X)
        labels = self.estimator.labels
        data = self.scored_columns(corpus) if y is None else labels.with_pairs(self.input_columns(corpus), y)
        labels.check_gold(data)
        return paired(data)

    def gold_columns(self, data: Corpus) -> Sequence[Column]:
        return split_column(data.columns[-1])


class PairFitting(Fitting):
    """Learns from one column of pairs."""

    def training_data(self, *given: Any, fresh: bool) -> tuple[Corpus, Tags | None, NDArray[np.float64]]:
        """The corpus with pairs as its last column, whose chunk labels are legal."""
        data, tags, weights = super().training_data(*given, fresh=fresh)
        self.labels.check_gold(data)
        self.read_from = data.origins[-OUTPUTS:]
        return paired(data), tags, weights

    def keep(self, made: Any, *learnt: Any) -> None:
        super().keep(made, *learnt)
        made.outputs_ = self.read_from
