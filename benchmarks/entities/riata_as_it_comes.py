"""Riata without any option: mira, 20 passes, the default template of the task; three seeds."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import EntityRecognizer

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        riata_contestant(lambda seed: EntityRecognizer(seed=seed), seeds=3),
        chunks=True,
    )
