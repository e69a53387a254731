"""Can confidences be believed? Models of CoNLL-2000, calibrated on one half of the development data and judged on the other.

python -m benchmarks.calibration
"""

from __future__ import annotations

import riata
from benchmarks.contest import conll2000

MODELS = {
    "laso-alma, beam 5": riata.Chunker("laso-alma", beam=5),
    "laso-alma, beam 25": riata.Chunker("laso-alma", beam=25),
    "laso-alma on chains, beam 5": riata.Chunker("laso-alma", structure="chain", beam=5),
    "perceptron, exact": riata.Chunker("perceptron"),
    "mira, exact": riata.Chunker("mira"),
}


def main() -> None:
    split = conll2000(final=False)
    train, dev = split.train, split.scored
    half = len(dev) // 2
    fitted, judged = dev[:half], dev[half:]
    print(f"{len(train):,} sentences to learn from, {half:,} to calibrate on, {len(judged):,} to judge by\n")
    print("| model | chunks | right, % | ECE before | Brier before | method | ECE | Brier | log loss |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, estimator in MODELS.items():
        estimator.fit(train)
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
