"""Riata: m3n, averaged Frank-Wolfe, C = 0.1, to a gap of 1 %, CRFsuite's template."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

SETTINGS = {"C": 0.1, "gap": 0.01, "solver": "frank-wolfe", "average": True}

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(lambda seed: Chunker("m3n", template="classic", settings=SETTINGS, threads=1), seeds=1),
        chunks=True,
    )
