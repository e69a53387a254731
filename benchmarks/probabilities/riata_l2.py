"""Riata: crf, c2 = 1, CRFsuite's template."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(lambda seed: Chunker("crf", template="classic", settings={"c2": 1.0}, threads=1), seeds=1),
        chunks=True,
    )
