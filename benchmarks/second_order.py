"""Do two labels back pay in chunking, and does the encoding? Exact learners on development data, 10 epochs.

    python -m benchmarks.second_order                 everything, three seeds
    python -m benchmarks.second_order chunk mira      lines that have all these words

What docs/defaults.md says of two labels back was found with this.
"""

from __future__ import annotations

import sys
import time

import riata
from benchmarks.contest import Split, conll2000
from riata.features.templates import Template, load, parse

PAIR = "label[-2] label[-1]"
VARIANTS = {
    "as it is": [],
    "pair": [PAIR],
    "pair, with tag": [PAIR, f"{PAIR} tag[0]"],
    "pair, with word": [PAIR, f"{PAIR} word[0]"],
}
SEEDS = 3


def measure(recipe: str, template: tuple[Template, ...], encoding: str, split: Split) -> tuple[list[float], float]:
    """F1 by seed, counted in the encoding of the data, and the CPU seconds of the quickest training."""
    scores, seconds = [], []
    for seed in range(SEEDS):
        began = time.process_time()
        chunker = riata.Chunker(recipe, template=template, epochs=10, seed=seed, learn_as=encoding)
        chunker.fit(split.train, listener=lambda event: None)
        seconds.append(time.process_time() - began)
        scores.append(100 * chunker.score(split.scored))
    return scores, min(seconds)


def main(words: list[str]) -> None:
    split = conll2000(False)
    print("| template | labels before | encoding | recipe | mean | seeds | train s |\n|---|---|---|---|---:|---|---:|")
    for encoding in ("iob2", "bioes"):
        for base in ("chunk", "classic"):
            for variant, lines in VARIANTS.items():
                template = (*load(base), *(parse("\n".join(lines)) if lines else ()))
                for recipe in ("perceptron", "mira"):
                    if not set(words) <= {encoding, base, variant, recipe}:
                        continue
                    scores, seconds = measure(recipe, template, encoding, split)
                    shown = ", ".join(f"{score:.2f}" for score in scores)
                    mean = sum(scores) / SEEDS
                    row = f"| {base} | {variant} | {encoding} | {recipe} | {mean:.2f} | {shown} | {seconds:.1f} |"
                    print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
