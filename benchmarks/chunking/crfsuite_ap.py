"""python-crfsuite: averaged perceptron, the same template, 10 iterations."""

from benchmarks.contest import conll2000, run
from benchmarks.crfsuite import trained_by

if __name__ == "__main__":
    run(conll2000, trained_by("ap", max_iterations=10), chunks=True)
