"""python-crfsuite as a contestant, features as lists of strings."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pycrfsuite

from benchmarks import plain
from benchmarks.contest import Split, timed
from benchmarks.stages import Contestant
from riata.data.types import Corpus

Extract = Callable[[Sequence[str], Sequence[str]], list[list[str]]]


class CRFsuite(Contestant):
    """The averaged perceptron, 10 iterations."""

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


def trained_by(
    algorithm: str, features: Callable[..., list[Any]] = plain.classic, **settings: float
) -> Callable[[Split], tuple[list[list[str]], dict[str, float]]]:
    """A contestant with features of a sentence's input columns: CRFsuite's own template where none are named."""

    def train(split: Split, path: str) -> None:
        trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
        trainer.set_params(settings)
        for sentence, truth in zip(inputs(split.train), split.train.sentences_of(-1), strict=True):
            trainer.append(features(*sentence), truth)
        trainer.train(path)

    def tag(split: Split, path: str) -> list[list[str]]:
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        return [tagger.tag(features(*sentence)) for sentence in inputs(split.scored)]

    def inputs(corpus: Corpus) -> Iterator[tuple[list[str], ...]]:
        return zip(*(corpus.sentences_of(column) for column in range(corpus.width - 1)), strict=True)

    def contest(split: Split) -> tuple[list[list[str]], dict[str, float]]:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model")
            _, train_seconds = timed(lambda: train(split, path))
            labels, decode_seconds = timed(lambda: tag(split, path))
        return labels, {"seconds_train": train_seconds, "seconds_decode": decode_seconds}

    return contest
