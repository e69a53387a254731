"""Riata without any option: mira, 20 passes, the default template of the task; three seeds."""

from benchmarks.contest import by_splits, riata_contestant, run
from riata import Tagger

if __name__ == "__main__":
    run(by_splits("ud-en-ewt", "dev", "test"), riata_contestant(lambda seed: Tagger(seed=seed), seeds=3), chunks=False)
