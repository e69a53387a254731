"""What a second pass brings, over corpora and sizes, and what lists add: `python -m benchmarks.two_passes [sizes|lists]`."""

from __future__ import annotations

import gzip
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.lists import english
from riata import Corpus, EntityRecognizer, RiataWarning, learnt_lists, load
from riata.data.memory import as_corpus

SIZES = (100, 1000, None)
SEEDS = (0, 1)


def conll04(name: str) -> Corpus:
    """Words and entities of CoNLL-04, sentence by sentence; no documents are marked."""
    path = Path(os.environ["RIATA_DATA"], "conll04", name)
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode()
    sentences: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if line.startswith("#doc"):
            sentences.append([])
        elif line:
            _, word, label, *_ = line.split("\t")
            sentences[-1].append((word, label))
    return as_corpus([sentence for sentence in sentences if sentence])


def corpora() -> Iterator[tuple[str, Corpus, Corpus]]:
    yield "CoNLL-2002 Spanish", load("conll2002-es", "train"), load("conll2002-es", "testa")
    yield "CoNLL-04", conll04("train.txt.gz"), conll04("dev.txt")


def scored(train: Corpus, dev: Corpus, **params: Any) -> tuple[float, float, float]:
    """F1 of the first pass and of the second, and how many times as long both took."""
    one, two, times = [], [], []
    for seed in SEEDS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RiataWarning)
            began = time.process_time()
            model = EntityRecognizer(seed=seed, passes=2, **params).fit(train)
            both = time.process_time() - began
            began = time.process_time()
            EntityRecognizer(seed=seed, **{k: v for k, v in params.items() if k != "context"}).fit(train)
            times.append(both / (time.process_time() - began))
        assert model.first_ is not None
        one.append(100 * model.first_.score(dev))
        two.append(100 * model.score(dev))
    return sum(one) / len(one), sum(two) / len(two), sum(times) / len(times)


def sizes() -> None:
    print("| data | sentences | one pass | two passes, window | two passes, file | CPU time, two passes against one |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, train, dev in corpora():
        for size in SIZES:
            if size is not None and size >= len(train):
                continue
            part = train[:size]
            one, window, ratio = scored(part, dev, context="window")
            _, file, _ = scored(part, dev, context="file")
            print(f"| {name} | {len(part):,} | {one:.2f} | {window:.2f} | {file:.2f} | {ratio:.1f} × |", flush=True)


def lists() -> None:
    train, dev = load("conll2002-es", "train"), load("conll2002-es", "testa")
    given: dict[str, dict[str, Any] | None] = {
        "none": None,
        "learnt: words seen only as names, twice or more": learnt_lists(train),
        "names of people and places, from $RIATA_DATA/lists": {name: english()[name] for name in ("name", "place")},
    }
    print("| lists | one pass | two passes, file |")
    print("|---|---:|---:|")
    for name, words in given.items():
        one, two, _ = scored(train, dev, context="file", lists=words)
        print(f"| {name} | {one:.2f} | {two:.2f} |", flush=True)


if __name__ == "__main__":
    {"sizes": sizes, "lists": lists}[sys.argv[1] if len(sys.argv) > 1 else "sizes"]()
