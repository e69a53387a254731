"""Riata: semicrf, c2 = 1, the default template of segments."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(lambda seed: Chunker("semicrf", settings={"c2": 1.0}, threads=1), seeds=1),
        chunks=True,
    )
