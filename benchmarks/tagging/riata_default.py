"""Riata: averaged perceptron, the default template of the task, 10 epochs, three seeds."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import Tagger

if __name__ == "__main__":
    run(
        by_splits("ud-en-ewt", "dev", "test"),
        riata_contestant(lambda seed: Tagger("perceptron", epochs=10, seed=seed), seeds=3),
        chunks=False,
    )
