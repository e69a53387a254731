"""Vowpal Wabbit as a contestant: learning to search, the task `sequence`, one pass over text made before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import vowpalwabbit

from benchmarks import plain
from benchmarks.stages import Contestant


class Tagger(NamedTuple):
    workspace: vowpalwabbit.Workspace
    labels: list[str]  # by number - 1


class VowpalWabbit(Contestant):
    features = "classic"

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def ingest(self, train: Path) -> tuple[Path, list[str]]:
        sentences = list(plain.read(train))
        labels = sorted({label for *_, truth in sentences for label in truth})
        numbers = {label: f"{i} " for i, label in enumerate(labels, 1)}
        ready = train.with_name(f"train.{self.bits}.vw")
        with open(ready, "w", encoding="utf-8") as file:
            for words, tags, truth in sentences:
                file.write(text(words, tags, [numbers[label] for label in truth]))
        return ready, labels

    def train(self, data: tuple[Path, list[str]], model: Path) -> Any:
        ready, labels = data
        search = ["--search_task", "sequence", "--search", str(len(labels)), "--search_rollout", "none"]
        return vowpalwabbit.Workspace(
            arg_list=["-d", str(ready), "-f", str(model), "-b", str(self.bits), "--quiet", *search]
        ), labels

    def save(self, trained: Any, model: Path) -> None:
        workspace, labels = trained
        workspace.finish()
        model.with_suffix(".labels.json").write_text(json.dumps(labels))

    def load(self, model: Path) -> Tagger:
        labels = json.loads(model.with_suffix(".labels.json").read_text())
        return Tagger(vowpalwabbit.Workspace(arg_list=["-i", str(model), "-t", "--quiet"]), labels)

    def label_file(self, tagger: Tagger, columns: Path, out: Path) -> None:
        plain.write((tagged(tagger, words, tags) for words, tags in plain.read(columns)), out)

    def label(self, tagger: Tagger, sentence: list[tuple[str, str]]) -> list[str]:
        words, tags = zip(*sentence, strict=True)
        return tagged(tagger, words, tags)


def tagged(tagger: Tagger, words: Sequence[str], tags: Sequence[str]) -> list[str]:
    examples = tagger.workspace.parse(text(words, tags, [""] * len(words)))
    tagger.workspace.predict(examples)
    labels = [tagger.labels[example.get_multiclass_prediction() - 1] for example in examples]
    tagger.workspace.finish_example(examples)
    return labels


def text(words: Sequence[str], tags: Sequence[str], labels: Sequence[str]) -> str:
    """A sentence as VW reads it: a line per token. Colons and bars mean something there."""
    words = [word.replace(":", "COLON").replace("|", "BAR") for word in words]
    tags = [tag.replace(":", "COLON") for tag in tags]
    rows = plain.classic(words, tags, separator="_")
    return "".join([f"{label}| {' '.join(row)}\n" for label, row in zip(labels, rows, strict=True)]) + "\n"
