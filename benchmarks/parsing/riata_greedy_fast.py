"""Riata: laso-perceptron, greedy, template `fast`, 10 epochs."""

from benchmarks.trees import riata_parser, run

if __name__ == "__main__":
    run(riata_parser(recipe="laso-perceptron", queue="greedy", template="fast", epochs=10))
