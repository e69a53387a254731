"""Riata without any option: mira, 20 passes, the default template of the task; three seeds."""

from benchmarks.contest import conll2000, riata_contestant, run
from riata import Chunker

if __name__ == "__main__":
    run(conll2000, riata_contestant(lambda seed: Chunker(seed=seed), seeds=3), chunks=True)
