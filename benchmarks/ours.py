"""Riata as a contestant of `peers`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.stages import Contestant
from riata import Chunker, Corpus, load_model, read_columns


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
