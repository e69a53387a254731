"""Riata: laso-perceptron, beam 8, template `parse`, 10 epochs."""

from benchmarks.trees import riata_parser, run

if __name__ == "__main__":
    run(riata_parser(recipe="laso-perceptron", beam=8, epochs=10))
