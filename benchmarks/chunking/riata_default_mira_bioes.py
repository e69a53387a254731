"""Riata: MIRA, the default template of the task, chunks learnt as BIOES, 16 epochs, five seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(lambda seed: Chunker("mira", learn_as="bioes", epochs=16, seed=seed), seeds=5),
        chunks=True,
    )
