"""Riata: averaged perceptron, CRFsuite's template, 2 epochs: against VW's one pass."""

from benchmarks.ours import Riata
from benchmarks.stages import run

if __name__ == "__main__":
    run(Riata("classic", epochs=2))
