"""How fast are decoders under constraints, and how often do they find the best legal output? Roles, development data, the same scores.

    python -m benchmarks.constrained_decoding                  trains perceptrons, boundaries given and found
    python -m benchmarks.constrained_decoding found.riata      with a trained model

All of them keep outputs that are legal already. Times are CPU seconds per predicate of the whole path: features, scores, rules, search.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import riata
from benchmarks.role_constraints import judged, solved
from riata.estimators.roles import BOUNDARIES

TIMES = 3  # runs, of which the fastest counts


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and the CPU seconds of the fastest of several runs."""
    best = np.inf
    for _ in range(TIMES):
        began = time.process_time()
        found = run()
        best = min(best, time.process_time() - began)
    return found, best


def report(labeler: Any) -> None:
    case = judged(labeler, riata.load("srl", "dev"))
    corpus = case.slots.corpus
    free = labeler.twin(constraints=None)
    ruled = labeler.twin(constraints="roles")
    beam = ruled.twin(queue="beam", beam=20)
    legal, _, _ = solved(case)
    _, scoring = timed(lambda: labeler.predicting._scores(corpus))
    _, by_program = timed(lambda: solved(case))
    plain, by_nothing = timed(lambda: free.predict_ids(corpus))
    exact, by_search = timed(lambda: ruled.predict_ids(corpus))
    pruned, by_beam = timed(lambda: beam.predict_ids(corpus))
    starts, count = corpus.starts, len(case.rules)
    same = [
        np.mean([np.array_equal(ids[a:b], legal[a:b]) for a, b in itertools.pairwise(starts)])
        for ids in (plain, legal, exact, pruned)
    ]
    print(f"\n{labeler.boundaries}: {count:,} predicates, {len(legal):,} slots")
    print("| decoder | ms per predicate | predicates/s | same output as the integer program |\n|---|---:|---:|---:|")
    seconds = (by_nothing, by_program + scoring + case.shared, by_search, by_beam)
    for name, second, share in zip(
        ("no constraints", "integer program", "exact search", "beam 20"), seconds, same, strict=True
    ):
        print(f"| {name} | {1e3 * second / count:.3f} | {count / second:,.0f} | {100 * share:.2f} % |", flush=True)


def main(words: list[str]) -> None:
    models = [riata.load_model(word) for word in words]
    if not models:
        train = riata.load("srl", "train")
        models = [riata.RoleLabeler("perceptron", boundaries=b, threads=1).fit(train) for b in BOUNDARIES]
    for labeler in models:
        report(labeler)


if __name__ == "__main__":
    main(sys.argv[1:])
