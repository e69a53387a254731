"""What two threads buy in indexing and in prediction, in turn with one: `python -m benchmarks.threads`. Wall seconds, least of several."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import riata
from riata import Chunker, Corpus
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import load

ROUNDS = 15
COPIES = 5  # of the training text, to be labelled


def least(actions: dict[int, Callable[[], object]]) -> dict[int, float]:
    """Of each action, run in turn."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(ROUNDS):
        for key, action in actions.items():
            began = time.perf_counter()
            action()
            best[key] = min(best[key], time.perf_counter() - began)
    return best


def main() -> None:
    train = riata.load("conll2000", "train")
    print("| work | template | 1 thread, ms | 2 threads, ms | × |\n|---|---|---:|---:|---:|")
    for template in ("classic", "chunk"):
        row(f"indexing {train.tokens:,} tokens", template, indexing(template, train.select([0, 1])))
        row(f"labelling a file of {COPIES * train.tokens:,} tokens", template, labelling(template, train))


def indexing(template: str, inputs: Corpus) -> dict[int, float]:
    templates = load(template)
    return least({n: partial(lambda n: Features(templates, builtin()).extend(inputs, 1, n), n) for n in (1, 2)})


def labelling(template: str, train: Corpus) -> dict[int, float]:
    chunker = Chunker("perceptron", template=template, epochs=2).fit(train, listener=lambda event: None)
    outputs = {}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.txt"), Path(folder, "out.txt")
        riata.write_columns(train.select([0, 1]), source)
        source.write_bytes(source.read_bytes() * COPIES)

        def label(threads: int) -> None:
            chunker.set_params(threads=threads).predict_file(source, target)
            outputs[threads] = target.read_bytes()

        found = least({n: partial(label, n) for n in (1, 2)})
    assert outputs[1] == outputs[2]
    return found


def row(work: str, template: str, seconds: dict[int, float]) -> None:
    one, two = 1000 * seconds[1], 1000 * seconds[2]
    print(f"| {work} | {template} | {one:.1f} | {two:.1f} | {one / two:.2f} |", flush=True)


if __name__ == "__main__":
    main()
