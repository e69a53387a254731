"""What the best output, lists of ten and sums cost: `python -m benchmarks.recursions [OTHER]`. Beside it another build, in turn.

OTHER: a folder with another build of the package `riata`. Microseconds per sentence, least of the rounds. Trees: parsers of UD English EWT,
50 sentences of 18 to 22 tokens, with features. Segments: arrays of 25 tokens, 6 lengths and 12 labels.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import riata
from riata import _core

ROUNDS = 7


def least(work: Callable[[], object], of: int = 1) -> float:
    """Microseconds, for each of some sentences."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e6 * min(times) / of


def measured() -> dict[str, float]:
    train = riata.load("ud-en-ewt", "train", ["form", "upos", "xpos", "head", "deprel"])
    lengths = np.diff(train.starts)
    some = train[np.flatnonzero((lengths >= 18) & (lengths <= 22))[:50]]
    inputs = some.select([0, 1, 2])
    out = {}
    for structure in ("projective", "tree"):
        parser = riata.DependencyParser(
            "mira", structure=structure, epochs=2, threads=1, tags="given", calibrated=False
        )
        parser.fit(some)
        model = parser.model_
        instances = model.instances(inputs)
        for n in (1, 2, 10):
            work = partial(model.weights.nbest, model.features.index, instances, n)
            out[f"{structure}: {n} best"] = least(work, len(some))
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(25, 6, 12)), rng.normal(size=(144,)), False
    out["segments: 1 best"] = least(lambda: [_core.segment_viterbi(*arrays) for _ in range(50)], 50)
    out["segments: 10 best"] = least(lambda: [_core.segment_kbest(*arrays, 10) for _ in range(50)], 50)
    out["segments: sums"] = least(lambda: [_core.segment_sums(*arrays) for _ in range(50)], 50)
    return out


def main(folders: list[str]) -> None:
    """Prints every question with its times by this build and by those of the folders."""
    sources = [str(Path(riata.__file__).parents[1]), *folders]
    found: list[dict[str, float]] = [{} for _ in sources]
    for source, times in [*zip(sources, found, strict=True)] * 3:
        command = [sys.executable, "-m", "benchmarks.recursions", "--one"]
        told = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True, check=True
        )
        for name, each in json.loads(told.stdout).items():
            times[name] = min(each, times.get(name, each))
    for name in found[0]:
        print(f"{name:24}", *(f"{times[name]:10.1f}" for times in found))


if __name__ == "__main__":
    print(json.dumps(measured())) if sys.argv[1:] == ["--one"] else main(sys.argv[1:])
