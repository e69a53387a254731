"""python-crfsuite: averaged perceptron, 10 iterations, the features of sklearn-crfsuite's tutorial."""

from benchmarks.contest import by_splits, run
from benchmarks.crfsuite import trained_by
from benchmarks.tutorial import dictionaries

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        trained_by("ap", lambda *columns: dictionaries(list(zip(*columns, strict=True))), max_iterations=10),
        chunks=True,
    )
