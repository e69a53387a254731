"""What every contestant of `peers` goes through, each stage timed apart: `python -m benchmarks.peers.NAME FOLDER`.

The folder holds train.txt (words, tags, labels) and scored.txt (words and tags); the labels go to NAME.labels there, and one JSON
object to standard output.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import plain

CALLS, WARM_UP, LENGTH = 2000, 200, 25


class Contestant(ABC):
    features: str  # the template
    saves_in_training = False  # training writes the model, so that saving cannot be timed apart

    @abstractmethod
    def ingest(self, train: Path) -> Any:
        """From the file to what the trainer takes, features and all."""

    @abstractmethod
    def train(self, data: Any, model: Path) -> Any: ...

    @abstractmethod
    def load(self, model: Path) -> Any: ...

    @abstractmethod
    def label_file(self, tagger: Any, columns: Path, out: Path) -> None:
        """From raw columns to written labels."""

    @abstractmethod
    def label(self, tagger: Any, sentence: list[tuple[str, str]]) -> list[str]:
        """One sentence, a list of words with their tags."""

    def save(self, trained: Any, model: Path) -> None:
        """Where training has saved the model, nothing is left to do."""
        assert self.saves_in_training

    def trained_for(self, trained: Any) -> float | None:
        """Wall seconds of training proper, where `train` builds features too: the rest is ingestion."""
        return None


def run(contestant: Contestant) -> None:
    folder = Path(sys.argv[1])
    name = Path(sys.argv[0]).stem
    model = folder / f"{name}.model"
    before = resident("VmRSS")
    data, ingest = timed(lambda: contestant.ingest(folder / "train.txt"))
    trained, train = timed(lambda: contestant.train(data, model))
    ingest, train = divided(ingest, train, contestant.trained_for(trained))
    _, save = timed(lambda: contestant.save(trained, model))
    peak = resident("VmHWM")
    tagger, load = timed(lambda: contestant.load(model))
    scored = folder / "scored.txt"
    first, *again = (
        timed(lambda: contestant.label_file(tagger, scored, folder / f"{name}.labels"))[1] for _ in range(4)
    )
    predict = {clock: min(seconds[clock] for seconds in again) for clock in first}
    words, tags = next(sentence for sentence in plain.read(scored) if len(sentence[0]) == LENGTH)
    facts = {
        "features": contestant.features,
        "seconds": {"ingest": ingest, "train": train, "load": load, "first": first, "predict": predict},
        "latency_us": latency(lambda: contestant.label(tagger, list(zip(words, tags, strict=True)))),
        "peak_mb": (peak - before) / 1e6,
        "model_bytes": model.stat().st_size,
    }
    if not contestant.saves_in_training:
        facts["seconds"]["save"] = save
    print(json.dumps(facts))


def timed(action: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return result, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def divided(
    ingest: dict[str, float], train: dict[str, float], proper: float | None
) -> tuple[dict[str, float], dict[str, float]]:
    """What `train` took beyond training proper goes to ingestion, in CPU seconds by its share of the wall."""
    if proper is None:
        return ingest, train
    share = proper / train["wall"]
    moved = {clock: seconds * share for clock, seconds in train.items()}
    return {clock: ingest[clock] + train[clock] - moved[clock] for clock in ingest}, moved


def latency(call: Callable[[], Any]) -> dict[str, dict[str, float]]:
    """Microseconds of a call, by both clocks: on a busy machine the wall's 99th percentile is the scheduler's."""
    for _ in range(WARM_UP):
        call()
    times: dict[str, list[int]] = {"cpu": [], "wall": []}
    for _ in range(CALLS):
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        call()
        times["cpu"].append(time.thread_time_ns() - cpu)
        times["wall"].append(time.perf_counter_ns() - wall)
    return {clock: percentiles(sorted(taken)) for clock, taken in times.items()}


def percentiles(nanoseconds: list[int]) -> dict[str, float]:
    count = len(nanoseconds)
    return {"p50": nanoseconds[count // 2] / 1e3, "p99": nanoseconds[count * 99 // 100] / 1e3}


def resident(field: str) -> int:
    """Bytes in memory now (VmRSS) or at most (VmHWM); the latter is not inherited, as ru_maxrss is."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:  # no Linux: the peak, in bytes on macOS
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))
