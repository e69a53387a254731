"""Can confidences be believed? As training calibrates them, on three corpora; and models of CoNLL-2000, calibrated on one half of the
development data and judged on the other. --probabilities: recipes that learn probabilities, on a part of the data.

python -m benchmarks.calibration [--final] [--timed] [--probabilities] [--by-hand]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import riata
from benchmarks.contest import Split, by_splits, conll2000
from benchmarks.trees import ewt

MODELS = {
    "laso-alma, beam 5": riata.Chunker("laso-alma", beam=5),
    "laso-alma, beam 25": riata.Chunker("laso-alma", beam=25),
    "laso-alma on chains, beam 5": riata.Chunker("laso-alma", structure="chain", beam=5),
    "perceptron, exact": riata.Chunker("perceptron"),
    "mira, exact": riata.Chunker("mira"),
}


BY_DEFAULT: tuple[tuple[str, Callable[[bool], Split], Any], ...] = (
    ("CoNLL-2000, chunks", conll2000, riata.Chunker),
    ("CoNLL-2000, chunks, laso-alma", conll2000, lambda **p: riata.Chunker("laso-alma", beam=5, **p)),
    ("Spanish, entities", by_splits("conll2002-es", "testa", "testb"), riata.EntityRecognizer),
    ("EWT, tags", by_splits("ud-en-ewt", "dev", "test"), riata.Tagger),
    ("EWT, trees", ewt, riata.DependencyParser),
)


def first(number: int, data: Callable[[bool], Split]) -> Callable[[bool], Split]:
    """With so many sentences to learn from."""
    return lambda final: replace(split := data(final), train=split.train[:number])


SPANISH, TAGS = BY_DEFAULT[2][1], BY_DEFAULT[3][1]
PROBABILITIES: tuple[tuple[str, Callable[[bool], Split], Any], ...] = tuple(
    (f"{name}, {recipe}, {number:,}", first(number, data), partial(make, recipe))
    for name, recipes, number, data, make in (
        ("CoNLL-2000, chunks", ("crf", "memm", "hmm"), 2000, conll2000, riata.Chunker),
        ("Spanish, entities", ("crf", "memm", "hmm"), 1500, SPANISH, riata.EntityRecognizer),
        ("Spanish, entities", ("crf",), 4000, SPANISH, riata.EntityRecognizer),
        ("EWT, tags", ("crf", "memm", "hmm"), 1500, TAGS, riata.Tagger),
    )
    for recipe in recipes
)
ROUNDS = 2  # of which the shorter time counts


def seconds(make: Callable[..., Any], data: Any, *, calibrated: bool) -> float:
    """CPU seconds of training, the least of several."""
    found = []
    for _ in range(ROUNDS):
        began = time.process_time()
        make(calibrated=calibrated).fit(data)
        found.append(time.process_time() - began)
    return min(found)


def by_default(models: tuple[tuple[str, Callable[[bool], Split], Any], ...], final: bool, timed: bool) -> None:
    """What training finds by itself."""
    print("| corpus | judged | right, % | ECE before | ECE | Brier | log loss | log loss of its own best | time |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, data, make in models:
        split = data(final)
        estimator = make().fit(split.train)
        after = estimator.reliability(split.scored)
        ratio = (
            ""
            if not timed
            else f"{seconds(make, split.train, calibrated=True) / seconds(make, split.train, calibrated=False):.2f}"
        )
        best = [each.after.log_loss for each in estimator.calibrate(split.scored).outputs]
        estimator.calibration_ = ()
        rows = zip(estimator.reliability(split.scored), after, best, strict=True)
        for before, now, least in rows:
            print(
                f"| {name} | {now.number:,} | {100 * now.accuracy:.2f} | {before.ece:.4f} | {now.ece:.4f} | {now.brier:.4f} "
                f"| {now.log_loss:.4f} | {least:.4f} | {ratio} |",
                flush=True,
            )


def main() -> None:
    if "--by-hand" in sys.argv:
        by_hand()
    else:
        models = PROBABILITIES if "--probabilities" in sys.argv else BY_DEFAULT
        by_default(models, "--final" in sys.argv, "--timed" in sys.argv)


def by_hand() -> None:
    """What `calibrate` finds."""
    split = conll2000(final=False)
    train, dev = split.train, split.scored
    half = len(dev) // 2
    fitted, judged = dev[:half], dev[half:]
    print(f"{len(train):,} sentences to learn from, {half:,} to calibrate on, {len(judged):,} to judge by\n")
    print("| model | chunks | right, % | ECE before | Brier before | method | ECE | Brier | log loss |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, estimator in MODELS.items():
        estimator.set_params(calibrated=False).fit(train)
        (before,) = estimator.reliability(judged)
        for method in ("temperature", "isotonic"):
            estimator.calibrate(fitted, method=method)
            (after,) = estimator.reliability(judged)
            print(
                f"| {name} | {after.number:,} | {100 * after.accuracy:.2f} | {before.ece:.4f} | {before.brier:.4f} "
                f"| {method} | {after.ece:.4f} | {after.brier:.4f} | {after.log_loss:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
