"""Riata: crf, c2 = 0.3, the default template."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(conll2000, riata_contestant(lambda seed: Chunker("crf", settings={"c2": 0.3}, threads=1), seeds=1), chunks=True)
