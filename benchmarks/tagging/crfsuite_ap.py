"""python-crfsuite: averaged perceptron, 10 iterations, ordinary features of words."""

from benchmarks.contest import by_splits, run
from benchmarks.crfsuite import trained_by
from benchmarks.plain import ordinary

if __name__ == "__main__":
    run(by_splits("ud-en-ewt", "dev", "test"), trained_by("ap", ordinary, max_iterations=10), chunks=False)
