"""Models of many pairs of a structure and a recipe, each told by three numbers of its weights; golden.json keeps them.

A change that is meant to alter the weights renews the file: `python tests/helpers/golden_weights.py`. The change log then says why.
"""

import json
import warnings
from pathlib import Path

import numpy as np

import riata
from riata import Chunker, EntityRecognizer, JointTagger, RiataWarning, Tagger

STORED = Path(__file__).parents[1] / "learning" / "golden.json"
SENTENCES = 150
CHUNKS, TAGS, ENTITIES = ("word", "tag", "chunk"), ("word", "tag"), ("word", "tag", "entity")
PRIOR = {"c2": 0.1}  # instead of a choice on held-out sentences

FRANK_WOLFE = {"C": 0.1, "solver": "frank-wolfe", "average": True}
# Chunker learns a chain one label back, EntityRecognizer two labels back.
PAIRS = {
    "chain, perceptron": (Chunker, CHUNKS, {"recipe": "perceptron", "epochs": 3}),
    "chain, perceptron with weights of labels": (
        Chunker,
        CHUNKS,
        {"recipe": "perceptron", "epochs": 2, "class_weight": "balanced"},
    ),
    "chain, perceptron in shards": (Chunker, CHUNKS, {"recipe": "perceptron", "epochs": 2, "shards": 3}),
    "chain, mira": (Tagger, TAGS, {"recipe": "mira", "epochs": 2}),
    "chain, mira with 4 rivals": (Chunker, CHUNKS, {"recipe": "mira", "epochs": 2, "settings": {"k": 4}}),
    "chain, mira with the zero-one loss": (
        Chunker,
        CHUNKS,
        {"recipe": "mira", "epochs": 2, "settings": {"loss": "zero-one"}},
    ),
    "chain, m3n": (Chunker, CHUNKS, {"recipe": "m3n", "epochs": 3, "settings": FRANK_WOLFE}),
    "chain, svmstruct-slack": (Chunker, CHUNKS, {"recipe": "svmstruct-slack", "epochs": 5}),
    "chain, svm-subgradient": (Tagger, TAGS, {"recipe": "svm-subgradient", "epochs": 2}),
    "segments, m3n": (
        Chunker,
        CHUNKS,
        {"recipe": "m3n", "structure": "segments", "epochs": 2, "settings": FRANK_WOLFE},
    ),
    "chain, laso-alma": (Chunker, CHUNKS, {"recipe": "laso-alma", "structure": "chain", "epochs": 2}),
    "chain, max-violation": (EntityRecognizer, ENTITIES, {"recipe": "max-violation", "epochs": 2}),
    "chain, crf": (Chunker, CHUNKS, {"recipe": "crf", "epochs": 5, "settings": PRIOR}),
    "chain, crf by sgd": (Chunker, CHUNKS, {"recipe": "crf", "epochs": 2, "settings": {**PRIOR, "optimiser": "sgd"}}),
    "chain, memm": (Tagger, TAGS, {"recipe": "memm", "epochs": 5, "settings": PRIOR}),
    "chain, winnow": (Chunker, CHUNKS, {"recipe": "winnow", "epochs": 5}),
    "chain, boost": (Chunker, CHUNKS, {"recipe": "boost", "epochs": 2, "settings": {"precision": "double"}}),
    "chain, hmm": (Tagger, TAGS, {"recipe": "hmm"}),
    "chain of order 2, perceptron": (EntityRecognizer, ENTITIES, {"recipe": "perceptron", "epochs": 3}),
    "chain of order 2, mira": (EntityRecognizer, ENTITIES, {"recipe": "mira", "epochs": 2}),
    "chain of order 2, crf": (EntityRecognizer, ENTITIES, {"recipe": "crf", "epochs": 5, "settings": PRIOR}),
    "segments, perceptron": (Chunker, CHUNKS, {"recipe": "perceptron", "structure": "segments", "epochs": 2}),
    "segments, laso-perceptron": (Chunker, CHUNKS, {"recipe": "laso-perceptron", "epochs": 2}),
    "segments, laso-alma from the exact best": (
        Chunker,
        CHUNKS,
        {"recipe": "laso-alma", "structure": "segments", "queue": "exact", "epochs": 2},
    ),
    "segments, semicrf": (Chunker, CHUNKS, {"recipe": "semicrf", "epochs": 5, "settings": PRIOR}),
    "joint, max-violation": (JointTagger, CHUNKS, {"recipe": "max-violation", "epochs": 1}),
    "joint, laso-alma": (JointTagger, CHUNKS, {"recipe": "laso-alma", "epochs": 1}),
}


def told(name):
    """What is kept of the model of a pair: the norm of its weights, how many are not zero, and their sum."""
    kind, columns, parameters = PAIRS[name]
    data = riata.load("embedded", "train", columns)[:SENTENCES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiataWarning)
        _, arrays = kind(threads=1, **parameters).fit(data).model_.to_parts()
    real = [array.ravel().astype(np.float64) for _, array in sorted(arrays.items()) if array.dtype.kind == "f"]
    weights = np.concatenate(real)
    return {
        "norm": float(np.sqrt(weights @ weights)),
        "not zero": int((weights != 0).sum()),
        "sum": float(weights.sum()),
    }


def main():
    found = {name: told(name) for name in PAIRS}
    STORED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
