"""Does the default suit few, short sentences? Names of people and companies, and addresses: whole sequences that are right, in five folds.

    pip install probablepeople usaddress      features of tokens, as these packages compute them
    pip download --no-deps --no-binary :all: probablepeople usaddress, and unpack both: the labelled data
    python -m benchmarks.short_sentences people probablepeople-*/name_data/labeled/*.xml
    python -m benchmarks.short_sentences addresses usaddress-*/training/labeled.xml

The figures in docs/defaults.md were made with this.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import riata

FOLDS = 5
RECIPES: dict[str, dict[str, Any]] = {
    "mira": {},
    "mira, 40 epochs": {"epochs": 40},
    "mira, 80 epochs": {"epochs": 80},
    "mira, k=5": {"k": 5},
    "perceptron": {},
    "m3n": {},
    "crf": {},
}
Labelled = list[tuple[list[Any], list[str]]]  # features of tokens, and labels


def features(kind: str) -> Callable[[list[str]], list[Any]]:
    if kind == "people":
        from probablepeople import tokens2features
    else:
        from usaddress import tokens2features
    found: Callable[[list[str]], list[Any]] = tokens2features
    return found


def read(path: str, featurise: Callable[[list[str]], list[Any]]) -> Labelled:
    found = []
    for sequence in ElementTree.parse(path).getroot():
        pairs = [(token, part.tag) for part in sequence for token in (part.text or "").split()]
        if pairs:
            found.append((featurise([token for token, _ in pairs]), [label for _, label in pairs]))
    return found


def folds(data: Labelled) -> list[tuple[Labelled, Labelled]]:
    """Pairs of training data and scored data."""
    shuffled = random.Random(0).sample(data, len(data))
    return [
        ([pair for i, pair in enumerate(shuffled) if i % FOLDS != fold], shuffled[fold::FOLDS]) for fold in range(FOLDS)
    ]


def main(kind: str, paths: list[str]) -> None:
    data = [pair for path in paths for pair in read(path, features(kind))]
    print(f"{len(data):,} sequences, {sum(len(labels) for _, labels in data):,} tokens")
    print("| recipe | tokens | whole | CPU s |\n|---|---:|---:|---:|")
    for name, options in RECIPES.items():
        tokens, whole, began = [], [], time.process_time()
        for train, scored in folds(data):
            model = riata.Tagger(name.partition(",")[0], threads=1, **options)
            model.fit(*map(list, zip(*train, strict=True)), listener=lambda event: None)
            for labels, (_, truth) in zip(model.predict([x for x, _ in scored]), scored, strict=True):
                tokens += [a == b for a, b in zip(labels, truth, strict=True)]
                whole.append(list(labels) == truth)
        shares = [100 * sum(each) / len(each) for each in (tokens, whole)]
        print(f"| `{name}` | {shares[0]:.2f} | {shares[1]:.2f} | {time.process_time() - began:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
