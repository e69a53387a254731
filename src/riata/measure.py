"""What a run cost, and its facts as the one JSON object that `--json` prints."""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes of ru_maxrss


def peak_mb() -> float:
    """The largest memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / 1e6


class Meter:
    """Measures memory from its creation on, which is after imports."""

    def __init__(self) -> None:
        self._before = peak_mb()

    def peak_rss_mb(self) -> float:
        return round(max(0.0, peak_mb() - self._before), 1)


def as_json(
    *,
    task: str | None,
    recipe: str | None,
    structure: str | None,
    seconds_train: float | None,
    seconds_decode: float | None,
    tokens: int,
    peak_rss_mb: float,
    weights: int | None,
    model_mb: float | None,
    metrics: dict[str, float],
    **more: Any,
) -> str:
    facts = {
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
    return json.dumps(facts)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
