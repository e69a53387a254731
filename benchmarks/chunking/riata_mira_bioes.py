"""Riata: MIRA, CRFsuite's template, chunks learnt as BIOES, 18 epochs, five seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("mira", template="classic", learn_as="bioes", epochs=18, seed=seed), seeds=5
        ),
        chunks=True,
    )
