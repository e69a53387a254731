"""sklearn-crfsuite: averaged perceptron, 10 iterations, from dictionaries."""

from __future__ import annotations

import sklearn_crfsuite

from benchmarks import tutorial
from benchmarks.side_by_side import Contestant


class SklearnCRFsuite(Contestant):
    features = "dictionaries"

    def __init__(self) -> None:
        self.model = sklearn_crfsuite.CRF(algorithm="ap", max_iterations=10)

    def sentence(self, rows: list[tuple[str, ...]]) -> list[tutorial.Features]:
        return tutorial.dictionaries(rows)

    def fit(self, sentences: list[list[tutorial.Features]], labels: list[list[str]]) -> None:
        self.model.fit(sentences, labels)

    def predict(self, sentences: list[list[tutorial.Features]]) -> list[list[str]]:
        return list(self.model.predict(sentences))

    def predict_one(self, sentence: list[tutorial.Features]) -> list[str]:
        return list(self.model.predict_single(sentence))


CONTESTANT = SklearnCRFsuite()
