"""Riata: MIRA, the default template of the task, 14 epochs, five seeds."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import EntityRecognizer

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        riata_contestant(lambda seed: EntityRecognizer("mira", epochs=14, seed=seed), seeds=5),
        chunks=True,
    )
