"""Riata: whole segments with the features of LaSO's chunking, ALMA, beam 5, 16 epochs, five seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(lambda seed: Chunker("laso-alma", beam=5, template="laso2005", epochs=16, seed=seed), seeds=5),
        chunks=True,
    )
