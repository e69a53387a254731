"""sklearn-crfsuite: averaged perceptron, 10 iterations, a dictionary per token. What CRFsuite does with them is in its training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sklearn_crfsuite

from benchmarks import plain
from benchmarks.stages import Contestant, run


class SklearnCRFsuite(Contestant):
    features = "classic"
    saves_in_training = True

    def ingest(self, train: Path) -> tuple[list[Any], list[Any]]:
        rows, labels = [], []
        for words, tags, truth in plain.read(train):
            rows.append(plain.classic_dictionaries(words, tags))
            labels.append(truth)
        return rows, labels

    def train(self, data: tuple[list[Any], list[Any]], model: Path) -> None:
        sklearn_crfsuite.CRF(algorithm="ap", max_iterations=10, model_filename=str(model)).fit(*data)

    def load(self, model: Path) -> sklearn_crfsuite.CRF:
        loaded = sklearn_crfsuite.CRF(model_filename=str(model))
        assert loaded.tagger_ is not None  # opens the file
        return loaded

    def label_file(self, tagger: sklearn_crfsuite.CRF, columns: Path, out: Path) -> None:
        rows = [plain.classic_dictionaries(words, tags) for words, tags in plain.read(columns)]
        plain.write(tagger.predict(rows), out)

    def label(self, tagger: sklearn_crfsuite.CRF, sentence: list[tuple[str, str]]) -> list[str]:
        words, tags = zip(*sentence, strict=True)
        return list(tagger.predict_single(plain.classic_dictionaries(words, tags)))


if __name__ == "__main__":
    run(SklearnCRFsuite())
