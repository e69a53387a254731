"""What vectors cost and bring: `python -m benchmarks.vectors [cost|quality]` prints the tables of docs/vectors.md.

cost: 5,000 sentences of 768 numbers a token, made up, with the chunk labels of CoNLL-2000; one thread, in a process of its own. Ratios are
to numpy's matrix product of the same numbers in the same process.
quality: words, vectors, and both, on development data. The vectors are made from the words of the training part by SVD.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import svds

from benchmarks.contest import conll2000
from riata import Chunker, Tagger, load
from riata.features.templates import parse

SENTENCES, WIDTH = 5000, 768
RECIPES = (("crf", {"epochs": 20, "c2": 1.0}), ("perceptron", {"epochs": 2}), ("mira", {"epochs": 2}))
SIZES = (500, 1000, 4000, 8042)  # labelled sentences
CONTEXTS, REACH, DIMENSIONS = 2000, 2, 100


def main() -> None:
    {"cost": cost, "quality": quality}[sys.argv[1] if len(sys.argv) > 1 else "cost"]()


def cost() -> None:
    before = _peak_mb()
    labels = load("conll2000", "train").sentences_of(2)[:SENTENCES]
    X = made_up(labels)
    data = sum(array.nbytes for array in X) / 2**20
    print(f"{sum(map(len, X)):,} tokens, {data:.0f} MiB of numbers")
    alone = min(product_alone(X, len({label for sentence in labels for label in sentence})) for _ in range(5))
    print(
        "| recipe | CPU s | peak MiB above data and imports | predict, times the product |",
        "|---|---:|---:|---:|",
        sep="\n",
    )
    for recipe, options in RECIPES:
        tagger, start = Tagger(recipe, threads=1, **options), time.process_time()
        tagger.fit(X, labels, listener=lambda _: None)
        spent = time.process_time() - start
        ratio = min(_seconds(lambda: tagger.predict(X)) for _ in range(3)) / alone  # noqa: B023 (called at once)
        print(f"| `{recipe}` | {spent:.1f} | {_peak_mb() - before - data:.0f} | {ratio:.1f} |", flush=True)


def made_up(labels: list[list[str]]) -> list[NDArray[np.float32]]:
    """A vector per label, and noise."""
    random = np.random.default_rng(0)
    names = sorted({label for sentence in labels for label in sentence})
    of = dict(zip(names, 0.1 * random.normal(size=(len(names), WIDTH)).astype(np.float32), strict=True))
    return [
        np.array([of[label] for label in sentence]) + random.standard_normal((len(sentence), WIDTH), np.float32)
        for sentence in labels
    ]


def product_alone(X: list[NDArray[np.float32]], labels: int) -> float:
    """Seconds of numpy's product with as many weights, a tenth of the sentences at a time."""
    weights, seconds = np.ones((WIDTH, labels), np.float32), 0.0
    for low in range(0, len(X), len(X) // 10):
        rows = np.concatenate(X[low : low + len(X) // 10])
        seconds += _seconds(lambda: rows @ weights)  # noqa: B023 (called at once)
    return seconds


def quality() -> None:
    split = conll2000(final=False)
    words = split.train.sentences_of(0)
    table = svd_vectors(words)
    dev, truth = split.scored.sentences_of(0), split.scored.sentences_of(2)
    print("| labelled sentences | words | vectors | both |", "|---:|---:|---:|---:|", sep="\n")
    for size in SIZES:
        X, y = words[:size], split.train.sentences_of(2)[:size]
        ways = ({}, {"vectors": table, "template": parse("edge", "vectors alone")}, {"vectors": table})
        made = [Chunker("mira", structure="chain", **way).fit(X, y, listener=lambda _: None) for way in ways]
        scores = " | ".join(f"{100 * chunker.score(dev, truth):.2f}" for chunker in made)
        print(f"| {min(size, len(words)):,} | {scores} |", flush=True)


def svd_vectors(sentences: list[list[str]]) -> dict[str, NDArray[np.float32]]:
    """Vectors of words seen twice or more: the SVD of positive pointwise mutual information with neighbours, by their position."""
    counts = Counter(word.lower() for sentence in sentences for word in sentence)
    words = [word for word, count in counts.most_common() if count > 1]
    at, contexts = {word: i for i, word in enumerate(words)}, min(CONTEXTS, len(words))
    places = [offset for offset in range(-REACH, REACH + 1) if offset]
    seen: Counter[tuple[int, int]] = Counter()
    for sentence in sentences:
        ids = [at.get(word.lower(), len(words)) for word in sentence]
        for (t, word), (place, offset) in product(enumerate(ids), enumerate(places)):
            if word < len(words) and 0 <= t + offset < len(ids) and ids[t + offset] < contexts:
                seen[word, place * contexts + ids[t + offset]] += 1
    row, column = np.array(list(seen)).T
    times = np.array(list(seen.values()), np.float64)
    expected = np.bincount(row, times)[row] * np.bincount(column, times)[column] / times.sum()
    table = coo_matrix((np.maximum(np.log(times / expected), 0), (row, column)), (len(words), len(places) * contexts))
    left, sizes, _ = svds(table.tocsr(), k=DIMENSIONS, random_state=0)
    rows = left * np.sqrt(sizes)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    return dict(zip(words, rows.astype(np.float32), strict=True))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
