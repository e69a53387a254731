"""What do kernels reach on handwritten words? `python -m benchmarks.letters [NAME …]` prints what docs/kernels.md shows.

Letters are read from $RIATA_DATA/ocr-letters/letter.data.gz: 128 pixels each, ten folds of words. Models learn from fold 0. Without
--final, they are judged by cross-validation within fold 0; with it, on folds 1 to 9, once, on record in results/final.jsonl.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import riata
from riata.measuring.cost import peak_mb
from riata.measuring.provenance import about, commit

HERE = Path(__file__).parent
THREADS = 2
PARTS = 5  # of the cross-validation
CONTESTANTS: dict[str, dict[str, Any]] = {
    "perceptron": {"recipe": "perceptron", "epochs": 20},
    "kernel-perceptron, cubic": {"recipe": "kernel-perceptron", "epochs": 20, "settings": {"degree": 3}},
    "kernel-perceptron, rbf": {
        "recipe": "kernel-perceptron",
        "epochs": 20,
        "settings": {"kernel": "rbf", "gamma": 0.03},
    },
    "kernel-perceptron, cubic, budget 1000": {
        "recipe": "kernel-perceptron",
        "epochs": 20,
        "settings": {"degree": 3, "budget": 1000},
    },
    "laso-alma, cubic": {
        "recipe": "laso-alma",
        "structure": "kernel-chain",
        "epochs": 10,
        "settings": {"degree": 3},
    },
    "m3n, quadratic": {
        "recipe": "m3n",
        "structure": "kernel-chain",
        "epochs": 40,
        "settings": {"degree": 2, "C": 5.0, "solver": "frank-wolfe", "average": True},
    },
    "m3n, cubic": {
        "recipe": "m3n",
        "structure": "kernel-chain",
        "epochs": 40,
        "settings": {"degree": 3, "gamma": 1 / 60, "C": 3.0, "solver": "frank-wolfe", "average": True},
    },
}


class Words(NamedTuple):
    """Letters of words as arrays [T, 128], and which letters they are."""

    pixels: list[Any]
    letters: list[list[str]]

    def take(self, chosen: Sequence[int]) -> Words:
        return Words([self.pixels[i] for i in chosen], [self.letters[i] for i in chosen])


def words(folds: Sequence[int]) -> Words:
    path = Path(os.environ["RIATA_DATA"]) / "ocr-letters" / "letter.data.gz"
    found = Words([], [])
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            _, letter, _, _, position, fold, *pixels = line.split()
            if int(fold) not in folds:
                continue
            if position == "1":
                found.pixels.append([])
                found.letters.append([])
            found.pixels[-1].append([float(pixel) for pixel in pixels])
            found.letters[-1].append(letter)
    return Words([np.array(word) for word in found.pixels], found.letters)


def judged(parameters: dict[str, Any], train: Words, scored: Words) -> dict[str, Any]:
    began, cpu = time.perf_counter(), time.process_time()
    model = riata.Tagger(**parameters, threads=THREADS).fit(*train, listener=lambda event: None)
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    began = time.process_time()
    accuracy = 100 * model.score(*scored)
    kept = model.model_.weights.compact().size if model.model_.structure == "kernel-chain" else None
    decoding = time.process_time() - began
    return {"accuracy": accuracy, "supports": kept, "wall": wall, "seconds_train": spent, "seconds_decode": decoding}


def crossed(parameters: dict[str, Any], data: Words) -> dict[str, Any]:
    """The means of a cross-validation."""
    parts = np.array_split(np.random.default_rng(0).permutation(len(data.pixels)), PARTS)
    rows = []
    for part in parts:
        left = np.setdiff1d(np.arange(len(data.pixels)), part)
        rows.append(judged(parameters, data.take(left.tolist()), data.take(sorted(part.tolist()))))
    return {name: None if rows[0][name] is None else float(np.mean([row[name] for row in rows])) for name in rows[0]}


def main() -> None:
    final = "--final" in sys.argv
    names = [name for name in sys.argv[1:] if name != "--final"] or list(CONTESTANTS)
    train = words([0])
    test = words(range(1, 10)) if final else None
    print(
        "| | letters right, % | support tokens | training s (CPU) | wall s | peak MB |",
        "|---|---:|---:|---:|---:|---:|",
        sep="\n",
    )
    for name in names:
        parameters = CONTESTANTS[name]
        found = crossed(parameters, train) if test is None else judged(parameters, train, test)
        kept = "" if found["supports"] is None else f"{found['supports']:.0f}"
        cells = (
            f"{found['accuracy']:.2f} | {kept} | {found['seconds_train']:.1f} | {found['wall']:.1f} | {peak_mb():.0f}"
        )
        print(f"| {name} | {cells} |", flush=True)
        if test is not None:
            record = {
                **about(),
                "commit": commit(HERE.parent),
                "question": "letters",
                "contestant": name,
                "data": "test",
                "metrics": {"accuracy": found.pop("accuracy")},
                "tokens_train": sum(map(len, train.letters)),
                "tokens_scored": sum(map(len, test.letters)),
                "peak_mb": peak_mb(),
                **found,
            }
            with open(HERE / "results" / "final.jsonl", "a", encoding="utf-8") as log:
                log.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
