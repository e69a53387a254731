"""Riata: the recipe max-violation on a chain, beam 5, CRFsuite's template, 10 epochs, three seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("max-violation", beam=5, template="classic", epochs=10, seed=seed), seeds=3
        ),
        chunks=True,
    )
