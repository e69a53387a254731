"""Riata: two passes over the whole input, mira first, then crf, c2 = 16, the default template of the task; three seeds."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import EntityRecognizer

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        riata_contestant(
            lambda seed: EntityRecognizer(
                "crf", settings={"c2": 16}, seed=seed, passes=2, first="mira", context="file", threads=1
            ),
            seeds=3,
        ),
        chunks=True,
    )
