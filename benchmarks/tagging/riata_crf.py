"""Riata: crf, c2 = 0.01, the default template of the task."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import Tagger

if __name__ == "__main__":
    run(
        by_splits("ud-en-ewt", "dev", "test"),
        riata_contestant(lambda seed: Tagger("crf", settings={"c2": 0.01}, threads=1), seeds=1),
        chunks=False,
    )
