"""python-crfsuite: averaged perceptron, 10 iterations, ordinary features of words and tags."""

from benchmarks.contest import by_splits, run
from benchmarks.crfsuite import trained_by
from benchmarks.plain import ordinary

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        trained_by("ap", ordinary, max_iterations=10),
        chunks=True,
    )
