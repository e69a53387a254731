"""Riata: two passes over the whole input, crf, c2 = 0.1, the default template of the task."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import EntityRecognizer

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        riata_contestant(
            lambda seed: EntityRecognizer("crf", settings={"c2": 0.1}, passes=2, context="file", threads=1), seeds=1
        ),
        chunks=True,
    )
