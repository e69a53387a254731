"""Riata: m3n, C = 0.1, to a gap of 1 %, CRFsuite's template."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("m3n", template="classic", settings={"C": 0.1, "gap": 0.01}, threads=1), seeds=1
        ),
        chunks=True,
    )
