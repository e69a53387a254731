"""Riata as a contestant of `peers`."""

from __future__ import annotations

from pathlib import Path

from benchmarks import plain
from benchmarks.stages import Contestant
from riata import Chunker, Corpus, load_model, read_columns


class Riata(Contestant):
    def __init__(self, features: str, recipe: str = "perceptron", epochs: int = 10) -> None:
        self.features = features
        template = None if features == "default" else features
        self.chunker = Chunker(recipe, template=template, epochs=epochs)

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
        plain.write(tagger.predict(read_columns(columns)), out)

    def label(self, tagger: Chunker, sentence: list[tuple[str, str]]) -> list[str]:
        return tagger.predict([sentence])[0]
