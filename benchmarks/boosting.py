"""What does boosting cost, and how good does it get? `python -m benchmarks.boosting` prints the tables of docs/boosting.md.

Spanish entities of CoNLL-2002; F1 on testa, the development data. One thread, CPU seconds.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import riata
from riata import EntityRecognizer
from riata.data.types import Corpus
from riata.features.templates import Template, parse
from riata.learning.events import Epoch, Event

# The word, its endings and its shape, and those of the words beside it; pairs of labels.
READS = ("word", "suffix1", "suffix2", "suffix3", "shape")
SHARES = (0.25, 0.5, 1.0)  # of the training data
# Tokens of the sentences that are learnt from, for the cost and for F1: longer ones are all that counts in the loss of the first rounds.
LONGEST, SHORTER = 100, 50
FIRST, TIMED = 4000, 600  # rounds before the cost is measured, and rounds that are
SIZES = ((1, 3), (4, 10), (11, 30))  # sentences in which a feature may occur
ROUNDS, STEP = 20_000, 1000  # of the curve, and between two of its points
VARIANTS: dict[str, dict[str, Any]] = {"sentences": {}, "corpus": {"bound": "corpus"}, "sentences, cap 4": {"cap": 4.0}}


def template() -> tuple[Template, ...]:
    lines = [f"{read}[{offset}]" for offset in (0, -1, 1) for read in READS]
    return parse("\n".join([*lines, "edge"]), "boosting")


def not_long(corpus: Corpus, longest: int) -> Corpus:
    return corpus[np.flatnonzero(np.diff(corpus.starts) <= longest).tolist()]


def main() -> None:
    parts = {"growth": growth, "curve": curve, "others": others, "quarter": quarter}
    for part in [name for name in sys.argv[1:] if name in parts] or parts:
        parts[part]()


def growth() -> None:
    """The cost of a round by the size of the training data."""
    whole = riata.load("conll2002-es", "train")
    heads = [f"{low} to {high} sentences" for low, high in SIZES]
    print("| training data | weights to choose from | " + " | ".join(heads) + " | a quarter of all, or more |")
    print("|---|---:|" + "---:|" * (len(SIZES) + 1))
    for share in SHARES:
        train = not_long(whole[: int(share * len(whole))], LONGEST)
        found: list[tuple[int, int, float]] = []  # sentences, tokens and CPU seconds of every round
        last = time.process_time()

        def tell(event: Event, found: list[tuple[int, int, float]] = found) -> None:
            nonlocal last
            if isinstance(event, Epoch) and event.rounds:
                now = time.process_time()
                found.append((event.rounds[0].sentences, event.tokens, now - last))
                last = now

        options = {"template": template(), "threads": 1, "warm_start": True}
        made = EntityRecognizer("boost", epochs=1, settings={"rounds": FIRST}, **options).fit(
            train, listener=lambda event: None
        )
        made.set_params(epochs=TIMED, settings={"rounds": 1}).fit(train, listener=tell)
        cells = []
        for low, high in (*SIZES, (len(train) // 4, len(train))):
            some = [(tokens, seconds) for sentences, tokens, seconds in found[1:] if low <= sentences <= high]
            tokens, seconds = (sum(column) for column in zip(*some, strict=True)) if some else (0, 0.0)
            cells.append(f"{1000 * seconds / len(some):.2f} ms ({tokens / len(some):,.0f} tokens)" if some else "none")
        print(
            f"| {len(train):,} sentences | {made.history_[-1]['features']:,} | " + " | ".join(cells) + " |", flush=True
        )


def curve() -> None:
    """F1 by rounds."""
    train, dev = not_long(riata.load("conll2002-es", "train"), SHORTER), riata.load("conll2002-es", "testa")
    for name, settings in VARIANTS.items():
        if set(sys.argv) & set(VARIANTS) and name not in sys.argv:
            continue
        print(f"{name}: rounds, F1, weights, log of the loss, CPU seconds", flush=True)
        began = time.process_time()

        def tell(event: Event, began: float = began) -> None:
            if isinstance(event, Epoch) and event.objective is not None:
                done = f"{event.epoch * STEP:,} | {event.dev_score:.2f} | {event.weights:,} | {event.objective:.1f}"
                print(f"| {done} | {time.process_time() - began:.0f} |", flush=True)

        options = {"template": template(), "threads": 1, "dev": dev, "settings": {"rounds": STEP, **settings}}
        EntityRecognizer("boost", epochs=ROUNDS // STEP, **options).fit(train, listener=tell)


def others() -> None:
    """F1 of other learners, with the same features."""
    train, dev = (riata.load("conll2002-es", split) for split in ("train", "testa"))
    for recipe, options in (("perceptron", {}), ("crf", {"c2": 0.1}), ("crf-exp", {"c2": 0.1})):
        began = time.process_time()
        made = EntityRecognizer(recipe, template=template(), threads=1, settings=options).fit(
            train, listener=lambda event: None
        )
        weights = sum(
            int((array != 0).sum()) for array in made.model_.to_parts()[1].values() if array.dtype.kind == "f"
        )
        print(
            f"| {recipe} | {100 * made.score(dev):.2f} | {weights:,} | {time.process_time() - began:.0f} |", flush=True
        )


def quarter() -> None:
    """F1 of boosting and of other learners with the paper's features, learnt from the first quarter of the data."""
    train, dev = (riata.load("conll2002-es", split) for split in ("train", "testa"))
    train = train[: len(train) // 4]
    tried: dict[str, tuple[str, int | None, dict[str, Any]]] = {
        "`crf`, c2 = 0.1": ("crf", None, {"c2": 0.1}),
        "`crf`, c1 = 1, c2 = 0.01": ("crf", None, {"c1": 1.0, "c2": 0.01}),
        "`crf-exp`, c2 = 0.1": ("crf-exp", None, {"c2": 0.1}),
        "`perceptron`": ("perceptron", None, {}),
        "`boost`": ("boost", 1, {"rounds": ROUNDS}),
        "`boost`, bound=corpus": ("boost", 1, {"rounds": ROUNDS, "bound": "corpus"}),
    }
    print("| recipe | F1 on the data learnt from | F1 on testa | weights |", "|---|---:|---:|---:|", sep="\n")
    for name, (recipe, epochs, settings) in tried.items():
        made = EntityRecognizer(recipe, template="S3", epochs=epochs, threads=1, settings=settings)
        made.fit(train, listener=lambda event: None)
        stored = (array for array in made.model_.to_parts()[1].values() if array.dtype.kind == "f")
        weights = sum(int((array != 0).sum()) for array in stored)
        print(f"| {name} | {100 * made.score(train):.2f} | {100 * made.score(dev):.2f} | {weights:,} |", flush=True)


if __name__ == "__main__":
    main()
