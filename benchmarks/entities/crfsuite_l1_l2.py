"""python-crfsuite: L-BFGS with c1 = c2 = 0.1, 100 iterations, the features of sklearn-crfsuite's tutorial, and its settings."""

from benchmarks.contest import by_splits, run
from benchmarks.crfsuite import trained_by
from benchmarks.tutorial import dictionaries

if __name__ == "__main__":
    run(
        by_splits("conll2002-es", "testa", "testb"),
        trained_by(
            "lbfgs", lambda *columns: dictionaries(list(zip(*columns, strict=True))), c1=0.1, c2=0.1, max_iterations=100
        ),
        chunks=True,
    )
