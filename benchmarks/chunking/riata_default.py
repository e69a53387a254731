"""Riata: averaged perceptron, the default template of the task, 10 epochs, five seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(conll2000, riata_contestant(lambda seed: Chunker("perceptron", epochs=10, seed=seed), seeds=5), chunks=True)
