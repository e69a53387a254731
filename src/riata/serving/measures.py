"""What the server counts, and the text that Prometheus reads."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING

from riata import __version__

if TYPE_CHECKING:
    from riata.serving.batching import Batcher
    from riata.serving.shelf import Shelf

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Histogram:
    """How often values were at most each bound."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def lines(self, name: str) -> list[str]:
        lines, total = [], 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
        return [*lines, f"{name}_sum {self.sum:.6f}", f"{name}_count {total}"]


class Measures:
    """Counts since the start. `answered` is called by the loop, `batch` by the thread that predicts."""

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.sentences: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.seconds = Histogram(SECONDS)
        self.batches = Histogram(REQUESTS)
        self._lock = Lock()

    def answered(self, path: str, status: int) -> None:
        self.requests[path, status] += 1

    def predicted(self, model: str, sentences: int, tokens: int, seconds: float) -> None:
        self.sentences[model] += sentences
        self.tokens[model] += tokens
        self.seconds.add(seconds)

    def batch(self, requests: int, sentences: int) -> None:
        with self._lock:
            self.batches.add(requests)

    def text(self, shelf: Shelf, batcher: Batcher) -> str:
        rows: list[str] = []

        def add(name: str, kind: str, about: str, lines: list[str]) -> None:
            rows.extend([f"# HELP {name} {about}", f"# TYPE {name} {kind}", *lines])

        def total(name: str, about: str, values: dict[str, float]) -> None:
            add(name, "counter", about, [f"{name}{labels} {value}" for labels, value in values.items()])

        requests = {_labels(path=path, status=str(status)): n for (path, status), n in sorted(self.requests.items())}
        total("riata_requests_total", "Requests answered, by path and status.", dict(requests))
        for name, counts in (("sentences", self.sentences), ("tokens", self.tokens)):
            about = f"{name.capitalize()} predicted, by model."
            total(f"riata_{name}_total", about, {_labels(model=model): n for model, n in sorted(counts.items())})
        seconds = "riata_predict_seconds"
        add(seconds, "histogram", "Time of answers to /predict.", self.seconds.lines(seconds))
        with self._lock:
            batches = self.batches.lines("riata_batch_requests")
        add("riata_batch_requests", "histogram", "Requests that were predicted together.", batches)
        gauges = {"riata_waiting": ("Requests that wait.", batcher.length), **_process(self.started)}
        for name, (about, value) in gauges.items():
            add(name, "gauge", about, [f"{name} {value}"])
        total("riata_reloads_total", "Models that were read again.", {"": shelf.reloads})
        total("riata_reload_failures_total", "Model files that could not be used.", {"": shelf.failures})
        loaded = [
            f"riata_model_loaded_timestamp_seconds{_labels(model=m.name, version=m.version)} {m.loaded:.3f}"
            for m in shelf
        ]
        add("riata_model_loaded_timestamp_seconds", "gauge", "When each model was read.", loaded)
        add("riata_info", "gauge", "The version of Riata.", [f"riata_info{_labels(version=__version__)} 1"])
        return "\n".join(rows) + "\n"


def _labels(**values: str) -> str:
    def escaped(text: str) -> str:
        return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in values.items()) + "}"


def _process(started: float) -> dict[str, tuple[str, float]]:
    """Memory in use, where the system tells it, and the time of the start."""
    found: dict[str, tuple[str, float]] = {
        "process_start_time_seconds": ("When the server was started.", round(started, 3)),
        "process_cpu_seconds_total": ("Processor time used.", round(sum(os.times()[:2]), 3)),
    }
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError):
        return found
    about = "Memory that is resident."
    return {**found, "process_resident_memory_bytes": (about, pages * os.sysconf("SC_PAGE_SIZE"))}
