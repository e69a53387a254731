"""Conditional random fields beside CRFsuite's: the same features, the same prior, L-BFGS, in turn; CoNLL-2000, all of train.

python -m benchmarks.crf [C2]

First the objective at convergence with features written out as strings, which both read alike; then what Riata's own template costs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pycrfsuite

import riata
from benchmarks import plain


def crfsuite(sentences: list[Any], labels: list[list[str]], c2: float) -> dict[str, float]:
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": c2})
    for rows, truth in zip(sentences, labels, strict=True):
        trainer.append(rows, truth)
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        trainer.train(str(Path(folder, "model")))
        seconds = time.process_time() - began
    steps = trainer.logparser.iterations
    passes = sum(int(step["linesearch_trials"]) for step in steps)
    return {"objective": steps[-1]["loss"], "steps": len(steps), "passes": passes, "seconds": seconds}


def ours(data: Any, labels: Any, c2: float, threads: int = 1, **parameters: Any) -> dict[str, float]:
    settings = {"c2": c2, **parameters.pop("settings", {})}
    chunker = riata.Tagger("crf", threads=threads, settings=settings, **parameters)
    began = time.process_time() if threads == 1 else time.perf_counter()
    chunker.fit(data, labels, listener=lambda event: None)
    seconds = (time.process_time() if threads == 1 else time.perf_counter()) - began
    history = chunker.history_
    passes = sum(epoch["updates"] for epoch in history)
    inside = sum(epoch["seconds"] for epoch in history)
    return {
        "objective": history[-1]["objective"],
        "steps": len(history),
        "passes": passes,
        "seconds": seconds,
        "per pass": inside / passes,
    }


def main() -> None:
    c2 = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    train = riata.load("conll2000", "train")
    words, tags, labels = (train.sentences_of(column) for column in range(3))
    strings = [plain.classic(*sentence) for sentence in zip(words, tags, strict=True)]
    given = [[dict.fromkeys(row, 1.0) for row in rows] for rows in strings]
    show("CRFsuite", crfsuite(strings, labels, c2))
    show("Riata, the same strings", ours(given, labels, c2))
    show("the same, two threads (wall seconds)", ours(given, labels, c2, 2))
    if c2 < 0.1:
        show("the same, double precision", ours(given, labels, c2, settings={"precision": "double"}))
    show("Riata, template classic", ours(train, None, c2, template="classic"))
    show("the same, two threads (wall seconds)", ours(train, None, c2, 2, template="classic"))
    show("the same, stochastic", ours(train, None, c2, template="classic", settings={"optimiser": "sgd"}))


def show(name: str, facts: dict[str, float]) -> None:
    print(
        f"{name}: " + ", ".join(f"{key} {value:,.4f}".rstrip("0").rstrip(".") for key, value in facts.items()),
        flush=True,
    )


if __name__ == "__main__":
    main()
