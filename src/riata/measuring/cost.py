"""What a run cost, and its facts as the one JSON object that `--json` prints."""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from typing import Any

_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes of ru_maxrss


def peak_mb() -> float:
    """The largest memory this process has had, in MB.

    Linux tells it of the program that runs; getrusage would count that of the process which started it, too.
    """
    with contextlib.suppress(OSError):
        for line in _lines("/proc/self/status"):
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / 1e6


def available_bytes() -> int | None:
    """The memory that programs can still ask for; None where the system does not tell."""
    with contextlib.suppress(OSError):
        for line in _lines("/proc/meminfo"):
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _lines(path: str) -> list[str]:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read().splitlines()


class Meter:
    """Measures memory from its creation on, which is after imports."""

    def __init__(self) -> None:
        self._before = peak_mb()

    def peak_rss_mb(self) -> float:
        return round(max(0.0, peak_mb() - self._before), 1)


def facts(
    *,
    task: str | None,
    recipe: str | None,
    structure: str | None,
    seconds_train: float | None,
    seconds_decode: float | None,
    tokens: int,
    peak_rss_mb: float | None,
    weights: int | None,
    model_mb: float | None,
    metrics: dict[str, float],
    **more: Any,
) -> dict[str, Any]:
    """What every run can tell, by the names of the JSON contract, and more of its own."""
    return {
        "task": task,
        "recipe": recipe,
        "structure": structure,
        "seconds_train": _rounded(seconds_train),
        "seconds_decode": _rounded(seconds_decode),
        "tokens": tokens,
        "peak_rss_mb": peak_rss_mb,
        "weights": weights,
        "model_mb": None if model_mb is None else round(model_mb, 3),
        "metrics": {name: round(value, 4) for name, value in metrics.items()},
        **more,
    }


def as_json(**known: Any) -> str:
    """The parameters of `facts`, as the one JSON object."""
    return json.dumps(facts(**known))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
