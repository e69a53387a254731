"""Riata: two passes over whole segments, ALMA, beam 5, 16 epochs, the default template, a window of 100 sentences; five seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

BEST = {"update": "best"}

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("laso-alma", beam=5, epochs=16, passes=2, threads=1, settings=BEST, seed=seed), seeds=5
        ),
        chunks=True,
    )
