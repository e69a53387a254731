"""Riata: laso-perceptron, greedy, template `fast`, 10 epochs; tags of its own taggers."""

from benchmarks.trees import own_tags, run

if __name__ == "__main__":
    run(own_tags(recipe="laso-perceptron", queue="greedy", template="fast", epochs=10))
