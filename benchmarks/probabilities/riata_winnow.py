"""Riata: regularised Winnow, the features of Zhang, Damerau & Johnson 2002."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(conll2000, riata_contestant(lambda seed: Chunker("winnow", template="zdj02", threads=1), seeds=1), chunks=True)
