"""Riata: MIRA, CRFsuite's template, 10 epochs."""

from benchmarks.ours import Riata
from benchmarks.stages import run

if __name__ == "__main__":
    run(Riata("classic", "mira"))
