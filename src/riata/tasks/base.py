"""What a task is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riata import registry
from riata.errors import UnsupportedError


@dataclass(frozen=True)
class Task:
    """A task by name, and the estimator that does it."""

    name: str
    summary: str
    estimator: Any  # a class; most are SequenceEstimators
    # Columns of data sets that are its outputs: for each, the names it may have.
    outputs: tuple[tuple[str, ...], ...] = ()


def labelling(name: str) -> Any:
    """The estimator of a task that labels sentences or builds trees; other tasks are refused."""
    estimator = registry.get("task", name).estimator
    if hasattr(estimator, "own_files"):
        raise UnsupportedError(
            f"the task {name!r} neither labels sentences nor builds trees.",
            remedy=f"riata train {name}, and then riata evaluate --model MODEL FILE.",
        )
    return estimator
