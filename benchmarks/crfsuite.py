"""python-crfsuite as a contestant: averaged perceptron, 10 iterations, features as lists of strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pycrfsuite

from benchmarks import plain
from benchmarks.stages import Contestant

Extract = Callable[[Sequence[str], Sequence[str]], list[list[str]]]


class CRFsuite(Contestant):
    saves_in_training = True

    def __init__(self, features: str, extract: Extract) -> None:
        self.features = features
        self.extract = extract

    def ingest(self, train: Path) -> pycrfsuite.Trainer:
        trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
        trainer.set_params({"max_iterations": 10})
        for words, tags, labels in plain.read(train):
            trainer.append(self.extract(words, tags), labels)
        return trainer

    def train(self, data: pycrfsuite.Trainer, model: Path) -> None:
        data.train(str(model))

    def load(self, model: Path) -> pycrfsuite.Tagger:
        tagger = pycrfsuite.Tagger()
        tagger.open(str(model))
        return tagger

    def label_file(self, tagger: pycrfsuite.Tagger, columns: Path, out: Path) -> None:
        plain.write((tagger.tag(self.extract(words, tags)) for words, tags in plain.read(columns)), out)

    def label(self, tagger: pycrfsuite.Tagger, sentence: list[tuple[str, str]]) -> list[str]:
        words, tags = zip(*sentence, strict=True)
        return list(tagger.tag(self.extract(words, tags)))
