"""Riata: the recipe laso-perceptron on a chain that reads two labels back, beam 5, 10 epochs, two seeds."""

from pathlib import Path

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

TEMPLATE = Path(__file__).with_name("history.template")

if __name__ == "__main__":
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("laso-perceptron", beam=5, template=TEMPLATE, epochs=10, seed=seed), seeds=2
        ),
        chunks=True,
    )
