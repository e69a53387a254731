"""Riata: laso-perceptron, beam 8, template `parse`, 10 epochs; tags of its own taggers."""

from benchmarks.trees import own_tags, run

if __name__ == "__main__":
    run(own_tags(recipe="laso-perceptron", beam=8, epochs=10))
