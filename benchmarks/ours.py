"""Riata as a contestant of `peers` and of `sentences`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import side_by_side
from benchmarks.stages import Contestant
from riata import Chunker, Corpus, EntityRecognizer, RiataWarning, load_model, read_columns


class Riata(Contestant):
    def __init__(self, features: str, recipe: str = "perceptron", epochs: int = 10) -> None:
        self.features = features
        template = None if features == "default" else features
        self.chunker = Chunker(recipe, template=template, epochs=epochs, threads=1)

    def ingest(self, train: Path) -> Corpus:
        return read_columns(train)

    def train(self, data: Corpus, model: Path) -> Chunker:
        return self.chunker.fit(data, listener=lambda event: None)

    def trained_for(self, trained: Chunker) -> float:
        return sum(epoch["seconds"] for epoch in trained.history_)

    def save(self, trained: Chunker, model: Path) -> None:
        trained.save(model)

    def load(self, model: Path) -> Chunker:
        return load_model(model)

    def label_file(self, tagger: Chunker, columns: Path, out: Path) -> None:
        tagger.predict_file(columns, out)  # the input's columns and the labels

    def label(self, tagger: Chunker, sentence: list[tuple[str, str]]) -> list[str]:
        return tagger.predict([sentence])[0]


class Recogniser(side_by_side.Contestant):
    """An EntityRecognizer with these parameters. sentence: what it takes, from words and tags."""

    def __init__(self, features: str, sentence: Callable[[Any], Any], **parameters: Any) -> None:
        self.features = features
        self.made_of = sentence
        self.model = EntityRecognizer(**parameters, threads=1)

    def sentence(self, rows: list[tuple[str, ...]]) -> Any:
        return self.made_of(rows)

    def fit(self, sentences: list[Any], labels: list[list[str]]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RiataWarning)  # one label of the data is illegal
            self.model.fit(sentences, labels)

    def predict(self, sentences: list[Any]) -> list[list[str]]:
        return self.model.predict(sentences)

    def predict_one(self, sentence: Any) -> list[str]:
        return self.model.predict([sentence])[0]
