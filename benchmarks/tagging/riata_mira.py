"""Riata: MIRA, the default template of the task, 18 epochs, three seeds."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import Tagger

if __name__ == "__main__":
    run(
        by_splits("ud-en-ewt", "dev", "test"),
        riata_contestant(lambda seed: Tagger("mira", epochs=18, seed=seed), seeds=3),
        chunks=False,
    )
