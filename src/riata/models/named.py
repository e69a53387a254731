"""Fast prediction of a chain that reads feature dictionaries: from Python's dictionaries to labels in the core."""

from __future__ import annotations

from typing import Any

from riata._core import ChainWeights, NamedChain, Rules
from riata.data.types import Corpus, Ids
from riata.features.compile import Features
from riata.inference.decoder import EXACT
from riata.models.folded import RiskArguments


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
