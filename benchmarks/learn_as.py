"""Does it pay to learn chunks in another encoding than the data's? Development data, five seeds, epoch by epoch.

    python -m benchmarks.learn_as                     perceptron and mira, both templates
    python -m benchmarks.learn_as classic mira        lines that have all these words

The table in docs/defaults.md was made with this.
"""

from __future__ import annotations

import sys

import numpy as np

import riata
from benchmarks.contest import Split, conll2000, timed

SEEDS = 5
EPOCHS = {"classic": 18, "chunk": 16}  # by template
SHOWN = (10, 14, 16, 18)


def scores(split: Split, seed: int, **parameters: object) -> list[float]:
    """F1 on the development data after every epoch."""
    chunker = riata.Chunker(seed=seed, dev=split.scored, threads=1, **parameters)
    return [event["dev_score"] for event in chunker.fit(split.train, listener=lambda event: None).history_]


def main(words: list[str]) -> None:
    split = conll2000(False)
    shown = ", ".join(map(str, SHOWN))
    print(
        f"| template | recipe | learn_as | F1 at epochs {shown} | sd of the last | train s |\n|---|---|---|---|---|---:|"
    )
    for template, epochs in EPOCHS.items():
        for recipe in ("perceptron", "mira"):
            for learn_as in ("iob2", "bioes"):
                if not set(words) <= {template, recipe, learn_as}:
                    continue
                given = {"recipe": recipe, "template": template, "epochs": epochs, "learn_as": learn_as}
                found = np.array([scores(split, seed, **given) for seed in range(SEEDS)])
                plain = riata.Chunker(threads=1, **given)
                _, seconds = timed(lambda plain=plain: plain.fit(split.train, listener=lambda event: None))
                means = ", ".join(f"{found[:, epoch - 1].mean():.2f}" for epoch in SHOWN if epoch <= epochs)
                spread = found[:, -1].std(ddof=1)
                print(f"| {template} | {recipe} | {learn_as} | {means} | {spread:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
