"""What does choosing from lists bring, and what does it need?

python -m benchmarks.reranking chunks            # development data: five tenths of the training data, one after another
python -m benchmarks.reranking trees             # development data of EWT
python -m benchmarks.reranking chunks --final    # test data, once
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

import riata
from benchmarks.contest import timed
from benchmarks.run import HERE, RESULTS, about, commit
from benchmarks.trees import WITHOUT_FEATURES, ewt
from riata.learning.events import ignore
from riata.reranking.features import feature_sets
from riata.reranking.lists import best_outputs
from riata.reranking.report import ranking_report

K = 20


LEARNERS: dict[str, Any] = {
    "mira": {},
    "m3n, C = 0.1": {"recipe": "m3n", "C": 0.1},
    "crf, c2 = 3": {"recipe": "crf", "c2": 3},
    "perceptron": {"recipe": "perceptron"},
}


def measured(base: Any, train: Any, test: Any, folds: int, *, name: str = "") -> None:
    """Prints a row per learner. name: what is final, and kept on record."""
    fitted, once = timed(lambda: base.untrained().fit(train, listener=ignore))
    asked = riata.Reranker(base, nbest=K, folds=folds, threads=2)
    lists, listing = timed(lambda: asked.held_out_lists(train))
    print(f"base {once:.0f} CPU s, lists of {folds} folds {listing:.0f} CPU s", flush=True)
    found = best_outputs(fitted, test, K)
    listed = found.listed(feature_sets(asked.asked_features()))
    for learner, params in LEARNERS.items():
        ranker = riata.Reranker(None, features=[], **params).fit(lists, listener=ignore)
        report = ranking_report(found, [int(np.argmax(scores)) for scores in ranker.ranker_.scores(listed)])
        gain = report.gain
        print(
            f"| {learner} | {report.base:.2f} | {report.score:.2f} | {gain.difference:+.2f} | {gain.p_value:.4f} |",
            flush=True,
        )
        if name:
            row = {"base": report.base, "score": report.score, "p_value": gain.p_value, "oracle": report.oracle[K]}
            facts = {
                **about(),
                "commit": commit(HERE.parent),
                "question": "reranking",
                "contestant": f"{name}, {learner}",
            }
            with open(RESULTS / "final.jsonl", "a", encoding="utf-8") as log:
                log.write(json.dumps({**facts, "data": "test", "metrics": row}) + "\n")
    print(report, flush=True)


def chunks(final: bool) -> None:
    data = riata.load("conll2000", "train")
    base = riata.Chunker("crf", c2=1, threads=1)
    if final:
        measured(base, data, riata.load("conll2000", "test"), 5, name="chunks")
        return
    for tenth in range(5):
        low, high = len(data) * (9 - tenth) // 10, len(data) * (10 - tenth) // 10
        print(f"held out: sentences {low:,} to {high:,}")
        measured(base, data[[*range(low), *range(high, len(data))]], data[low:high], 5)


def trees(final: bool) -> None:
    split = ewt(final)
    train, test = (corpus.select(WITHOUT_FEATURES) for corpus in (split.train, split.scored))
    base = riata.DependencyParser("laso-perceptron", beam=8, epochs=10, tags="own", threads=1)
    measured(base, train, test, 3, name="trees" if final else "")


if __name__ == "__main__":
    warnings.simplefilter("ignore", riata.RiataWarning)
    {"chunks": chunks, "trees": trees}[sys.argv[1]]("--final" in sys.argv)
