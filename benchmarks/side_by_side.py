"""Sentences that a program has in memory: contestants of `sentences` in one process, in turn, so that the machine is the same for all.

Each trains on CoNLL-2002's Spanish entities and then predicts: all sentences scored, and one of LENGTH tokens again and again.
"""

from __future__ import annotations

import gc
import importlib
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from benchmarks.comparison import (
    F1,
    LABELLING,
    P50,
    P99,
    TRAINING,
    Floor,
    Measure,
    Result,
    best,
    floor_table,
    loss_lines,
    measure_table,
)
from benchmarks.contest import by_splits, scores
from benchmarks.stages import LENGTH, latency, timed

QUESTION = "sentences"
HERE = Path(__file__).parent
TIMES = 3  # that all sentences are predicted in a round
FROM_MEMORY = Measure("sentences in memory to labels", LABELLING.value, LABELLING.form, more_is_better=True)
MEASURES = (F1, TRAINING, FROM_MEMORY, P50, P99)
FLOORS = (
    Floor("dictionaries to labels", FROM_MEMORY, "riata_dictionaries", 2, "sklearn_crfsuite_dictionaries"),
    Floor("latency p50, dictionaries", P50, "riata_dictionaries", 60),
    Floor("latency p50, default `EntityRecognizer`", P50, "riata_default", 30),
)


class Contestant(ABC):
    features: str

    @abstractmethod
    def sentence(self, rows: list[tuple[str, ...]]) -> Any:
        """What the contestant takes for a sentence of words and tags."""

    @abstractmethod
    def fit(self, sentences: list[Any], labels: list[list[str]]) -> None: ...

    @abstractmethod
    def predict(self, sentences: list[Any]) -> list[list[str]]: ...

    @abstractmethod
    def predict_one(self, sentence: Any) -> list[str]: ...


def run(rounds: int, final: bool) -> list[Result]:
    split = by_splits("conll2002-es", "testa", "testb")(final)
    facts = {"question": QUESTION, "data": "test" if final else "dev", "rounds": rounds}
    ready: dict[str, Ready] = {}
    results: dict[str, list[Result]] = {}
    for name in sorted(path.stem for path in (HERE / QUESTION).glob("*.py")):
        print(f"{QUESTION}: {name} …", file=sys.stderr, flush=True)
        try:
            contestant = importlib.import_module(f"benchmarks.{QUESTION}.{name}").CONTESTANT
        except ImportError as error:
            results[name] = [{"error": str(error)}]
            continue
        ready[name], results[name] = Ready(contestant, split), []
    for _ in range(rounds):
        for name, contestant in ready.items():
            results[name].append(contestant.round())
    return [{**facts, "contestant": name, **best(found)} for name, found in results.items()]


class Ready:
    """A contestant that is trained, and what it predicts."""

    def __init__(self, contestant: Contestant, split: Any) -> None:
        self.contestant, self.scored = contestant, split.scored
        rows, labels = [list(sentence) for sentence in split.train], split.train.sentences_of(-1)
        sentences = [contestant.sentence([row[:-1] for row in sentence]) for sentence in rows]
        _, self.train = timed(lambda: contestant.fit(sentences, labels))
        self.sentences = [contestant.sentence([row[:-1] for row in sentence]) for sentence in self.scored]
        self.one = next(sentence for sentence in self.sentences if len(sentence) == LENGTH)

    def round(self) -> Result:
        gc.collect()
        found, seconds = zip(
            *(timed(lambda: self.contestant.predict(self.sentences)) for _ in range(TIMES)), strict=True
        )
        return {
            "features": self.contestant.features,
            "seconds": {
                "train": self.train,
                "predict": {clock: min(taken[clock] for taken in seconds) for clock in seconds[0]},
            },
            "latency_us": latency(lambda: self.contestant.predict_one(self.one)),
            "tokens_scored": self.scored.tokens,
            **scores(self.scored, [list(labels) for labels in found[0]], chunks=True),
        }


def section(all_results: list[Result]) -> list[str]:
    """The part of docs/benchmarks.md; nothing where the question was never run."""
    asked = [result for result in all_results if result["question"] == QUESTION]
    if not asked:
        return []
    results = {result["contestant"]: result for result in asked if "error" not in result}
    told = asked[0]
    return [
        "",
        "## Sentences in memory",
        "",
        "How fast does a program label sentences that it has in memory? "
        f"CoNLL-2002 Spanish entities ({told['data']} data), one thread, {told['cpu']}, Python {told['python']}, "
        f"at commit {told['commit']}, {told['date']}.",
        f"All contestants ran in one process, in turn, and the table shows the best of {told['rounds']} rounds. "
        "`dictionaries` are the features of sklearn-crfsuite's tutorial.",
        "They were made beforehand, and no time includes them. Times and speeds are CPU time, with wall-clock time in brackets. "
        f"Latency is for one sentence of {LENGTH} tokens.",
        "",
        *measure_table(asked, MEASURES),
        "",
        *floor_table(results, FLOORS),
        "",
        "Where Riata loses:",
        "",
        *loss_lines(results, MEASURES),
    ]
