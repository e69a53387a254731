"""Riata: the same as riata_laso2005, with lists of names, places, abbreviations and stop words."""

from benchmarks.contest import conll2000, riata_contestant, run
from benchmarks.lists import english
from riata import Chunker

if __name__ == "__main__":
    lists = english()
    run(
        conll2000,
        riata_contestant(
            lambda seed: Chunker("laso-alma", beam=5, template="laso2005", lists=lists, epochs=16, seed=seed), seeds=5
        ),
        chunks=True,
    )
