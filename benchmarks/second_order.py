"""Do two labels back pay in chunking, and does the encoding? Exact learners on development data, 10 epochs.

    python -m benchmarks.second_order                 everything, three seeds
    python -m benchmarks.second_order chunk mira      lines that have all these words

The table in docs/features.md was made with this.
"""

from __future__ import annotations

import sys
import time

import riata
from benchmarks.contest import Split, conll2000
from riata import registry
from riata.data.encodings.base import convert
from riata.data.memory import label_column, with_column
from riata.data.types import Corpus
from riata.features.templates import Template, load, parse
from riata.scoring.evaluation import evaluate_column

PAIR = "label[-2] label[-1]"
VARIANTS = {
    "as it is": [],
    "pair": [PAIR],
    "pair, with tag": [PAIR, f"{PAIR} tag[0]"],
    "pair, with word": [PAIR, f"{PAIR} word[0]"],
}
SEEDS = 3


def recoded(corpus: Corpus, source: str, target: str) -> Corpus:
    """The corpus with its chunks written in another encoding."""
    read, write = (registry.get("encoding", name) for name in (source, target))
    labels = [convert(tags, read, write) for tags in corpus.sentences_of(-1)]
    inputs = corpus.select(range(corpus.width - 1))
    return with_column(inputs, label_column(labels, inputs))


def measure(
    recipe: str, template: tuple[Template, ...], encoding: str, split: Split, train: Corpus
) -> tuple[list[float], float]:
    """F1 by seed, counted in the encoding of the data, and the CPU seconds of the quickest training."""
    scores, seconds = [], []
    for seed in range(SEEDS):
        began = time.process_time()
        chunker = riata.Chunker(recipe, template=template, epochs=10, seed=seed, encoding=encoding)
        chunker.fit(train, listener=lambda event: None)
        seconds.append(time.process_time() - began)
        inputs = split.scored.select(range(split.scored.width - 1))
        found = with_column(inputs, label_column(chunker.predict(inputs), inputs))
        column = (recoded(found, encoding, "iob2") if encoding != "iob2" else found).columns[-1]
        gold = split.scored.columns[-1]
        evaluation = evaluate_column(gold, column.ids, column.alphabet.texts(), split.scored.starts, chunks=True)
        scores.append(evaluation.score)
    return scores, min(seconds)


def main(words: list[str]) -> None:
    split = conll2000(False)
    print("| template | labels before | encoding | recipe | mean | seeds | train s |\n|---|---|---|---|---:|---|---:|")
    for encoding in ("iob2", "bioes"):
        train = recoded(split.train, "iob2", encoding)
        for base in ("chunk", "classic"):
            for variant, lines in VARIANTS.items():
                template = (*load(base), *(parse("\n".join(lines)) if lines else ()))
                for recipe in ("perceptron", "mira"):
                    if not set(words) <= {encoding, base, variant, recipe}:
                        continue
                    scores, seconds = measure(recipe, template, encoding, split, train)
                    shown = ", ".join(f"{score:.2f}" for score in scores)
                    mean = sum(scores) / SEEDS
                    row = f"| {base} | {variant} | {encoding} | {recipe} | {mean:.2f} | {shown} | {seconds:.1f} |"
                    print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
