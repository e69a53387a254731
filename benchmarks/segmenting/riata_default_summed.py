"""Riata: the same, the models of five seeds summed into one."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

BEST = {"update": "best"}

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("laso-alma", beam=5, epochs=16, settings=BEST, seed=seed, seeds=5, threads=1), seeds=1
        ),
        chunks=True,
    )
