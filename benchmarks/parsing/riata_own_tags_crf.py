"""Riata: crf by stochastic gradient descent, exact projective trees, template `parse`, 3 passes; tags of its own taggers."""

from benchmarks.trees import own_tags, run

if __name__ == "__main__":
    run(own_tags(recipe="crf", epochs=3, settings={"optimiser": "sgd", "c2": 0.3}))
