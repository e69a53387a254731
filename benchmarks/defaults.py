"""Which learner should a task have by default? Every corpus at hand, from 100 sentences to all, accuracy beside CPU time.

    python -m benchmarks.defaults run            measures what is not on record yet (hours; it can be stopped and goes on)
    python -m benchmarks.defaults run mira ner   only contestants and corpora whose names contain one of these words each
    python -m benchmarks.defaults table          prints the tables of docs/defaults.md from what is on record

All scores are of development data. Small sizes are measured on three parts of the training data,
all of it with three seeds where there is a choice; the mean is shown.
Every run is one line of results/defaults.jsonl.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import riata
from benchmarks.contest import Split, by_splits, conll2000, timed
from riata.data.columns import read
from riata.data.conllu import FIELDS
from riata.data.memory import as_corpus
from riata.data.types import Corpus

RECORD = Path(__file__).parent / "results" / "defaults.jsonl"
SIZES = (100, 300, 1000, 3000, None)  # sentences; None: all
DRAWS = 3  # parts of the training data that small sizes are measured on
SMALL = 1000


@dataclass(frozen=True)
class Question:
    """A corpus with its task."""

    task: type[Any]
    split: Callable[[bool], Split]


def embedded(output: int) -> Callable[[bool], Split]:
    """The last fifth of the training part is scored. output: the column that is learnt; it comes last, tags are kept where they are not."""

    def split(final: bool) -> Split:
        data = riata.load(
            "embedded", "train", columns=("word", "tag") if output == 1 else ("word", "tag", NAMES[output])
        )
        held_out = len(data) // 5
        return Split(data[:-held_out], data[-held_out:])

    return split


NAMES = ("word", "tag", "chunk", "entity")


def treebank(name: str, column: str) -> Callable[[bool], Split]:
    def split(final: bool) -> Split:
        folder = Path(os.environ["RIATA_DATA"]) / name
        parts = []
        for part in ("train", "dev"):
            (file,) = folder.glob(f"*-ud-{part}.conllu.gz")
            parts.append(read(file, conllu=True).select([FIELDS.index("form"), FIELDS.index(column)]))
        return Split(*parts)

    return split


def conll04(final: bool) -> Split:
    """Words and entities."""
    folder = Path(os.environ["RIATA_DATA"]) / "conll04"
    parts = []
    for file in (folder / "train.txt.gz", folder / "dev.txt"):
        content = file.read_bytes()
        text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8")
        sentences: list[list[tuple[str, ...]]] = []
        for line in text.splitlines():
            if line.startswith("#doc"):
                sentences.append([])
            elif line.strip():
                sentences[-1].append(tuple(line.split("\t")[1:3]))
        parts.append(as_corpus(sentences))
    return Split(*parts)


QUESTIONS = {
    "chunk-conll2000": Question(riata.Chunker, conll2000),
    "chunk-embedded": Question(riata.Chunker, embedded(2)),
    "ner-conll2002-es": Question(riata.EntityRecognizer, by_splits("conll2002-es", "testa", "testb")),
    "ner-conll04": Question(riata.EntityRecognizer, conll04),
    "ner-embedded": Question(riata.EntityRecognizer, embedded(3)),
    "tag-ewt-xpos": Question(riata.Tagger, treebank("ud-en-ewt", "xpos")),
    "tag-ewt-upos": Question(riata.Tagger, treebank("ud-en-ewt", "upos")),
    "tag-szeged-upos": Question(riata.Tagger, treebank("ud-hu-szeged", "upos")),
    "tag-embedded": Question(riata.Tagger, embedded(1)),
}


@dataclass(frozen=True)
class Contestant:
    """Parameters of an estimator. largest: sentences beyond which it is not asked (None: none)."""

    parameters: dict[str, Any]
    largest: int | None = None
    only: str = ""  # questions whose names begin like this


CONTESTANTS = {
    "perceptron": Contestant({"recipe": "perceptron", "epochs": 10}),
    "mira": Contestant({"recipe": "mira", "epochs": 10}),
    "mira-20": Contestant({"recipe": "mira", "epochs": 20}),
    "mira-40": Contestant({"recipe": "mira", "epochs": 40}, largest=1000),
    "mira-bioes": Contestant({"recipe": "mira", "epochs": 10, "learn_as": "bioes"}, only="chunk ner"),
    "mira-20-bioes": Contestant({"recipe": "mira", "epochs": 20, "learn_as": "bioes"}, only="chunk ner"),
    "mira-20-seeds-5": Contestant({"recipe": "mira", "epochs": 20, "seeds": 5}),
    "mira-20-bioes-seeds-5": Contestant(
        {"recipe": "mira", "epochs": 20, "seeds": 5, "learn_as": "bioes"}, only="chunk ner"
    ),
    "laso-alma-seeds-5": Contestant(
        {"recipe": "laso-alma", "epochs": 16, "seeds": 5, "settings": {"update": "best"}}, only="chunk"
    ),
    "laso-alma": Contestant({"recipe": "laso-alma", "epochs": 16, "settings": {"update": "best"}}, only="chunk"),
    "crf": Contestant({"recipe": "crf"}),  # c2=auto
    **{
        f"crf-{c2:g}": Contestant({"recipe": "crf", "settings": {"c2": c2}})
        for c2 in (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
    },
}


def main(words: list[str]) -> None:
    warnings.simplefilter("ignore", riata.RiataWarning)
    if words[:1] == ["run"]:
        run(words[1:])
    else:
        print(tables())


def run(words: list[str]) -> None:
    done = {key(row) for row in recorded()}
    for name, size, draw, contestant in plan(words):
        cell = {"question": name, "sentences": size, "draw": draw, "contestant": contestant}
        if key(cell) in done:
            continue
        row = {**cell, **measured(name, size, draw, CONTESTANTS[contestant].parameters)}
        with RECORD.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(row, flush=True)


def plan(words: list[str]) -> Iterator[tuple[str, int, int, str]]:
    """What is to be measured, the small first."""
    for size in SIZES:
        for contestant, how in CONTESTANTS.items():
            for name in QUESTIONS:
                there = len(data(name).train)
                sentences = there if size is None else size
                if (
                    sentences > there
                    or not chosen(words, name, contestant)
                    or name.split("-")[0] not in (how.only or name)
                ):
                    continue
                if how.largest is not None and sentences > how.largest:
                    continue
                seeds = DRAWS if sentences == there and how.parameters["recipe"] != "crf" else 1
                draws = min(DRAWS, there // sentences) if sentences <= SMALL and sentences < there else seeds
                yield from ((name, sentences, draw, contestant) for draw in range(draws))


def chosen(words: list[str], question: str, contestant: str) -> bool:
    for names in (tuple(QUESTIONS), tuple(CONTESTANTS)):
        asked = [word for word in words if any(word in name for name in names)]
        if asked and not any(word in (question if names[0] in QUESTIONS else contestant) for word in asked):
            return False
    return True


@cache
def data(name: str) -> Split:
    return QUESTIONS[name].split(False)


def measured(name: str, size: int, draw: int, parameters: dict[str, Any]) -> dict[str, float]:
    split = data(name)
    first = 0 if size == len(split.train) else draw * size
    part: Corpus = split.train[first : first + size]
    estimator = QUESTIONS[name].task(
        threads=1, **({} if parameters["recipe"] == "crf" else {"seed": draw}), **parameters
    )
    _, seconds = timed(lambda: estimator.fit(part, listener=lambda event: None))
    found = {"score": round(100 * estimator.score(split.scored), 3), "seconds": round(seconds, 3)}
    return {**found, **estimator.facts_.get("chosen", {})}


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()] if RECORD.exists() else []


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["question"], row["sentences"], row["draw"], row["contestant"]


def tables() -> str:
    """One table per corpus: contestants by size, the mean score and CPU seconds."""
    cells: dict[tuple[str, str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in recorded():
        cells[row["question"], row["contestant"], row["sentences"]].append(row)
    out = []
    for question in QUESTIONS:
        sizes = sorted({size for name, _, size in cells if name == question})
        if not sizes:
            continue
        out.append(f"\n**{question}**\n\n| | " + " | ".join(f"{size:,}" for size in sizes) + " |")
        out.append("|---|" + "---:|" * len(sizes))
        for contestant in CONTESTANTS:
            shown = [cells.get((question, contestant, size)) for size in sizes]
            if any(shown):
                out.append(f"| `{contestant}` | " + " | ".join(map(cell_text, shown)) + " |")
    return "\n".join(out)


def cell_text(rows: list[dict[str, Any]] | None) -> str:
    if not rows:
        return ""
    return f"{np.mean([row['score'] for row in rows]):.2f} ({np.mean([row['seconds'] for row in rows]):.1f} s)"


if __name__ == "__main__":
    main(sys.argv[1:])
