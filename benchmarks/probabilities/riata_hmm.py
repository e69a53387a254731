"""Riata: hmm."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(conll2000, riata_contestant(lambda seed: Chunker("hmm"), seeds=1), chunks=True)
