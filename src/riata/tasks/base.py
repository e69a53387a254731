"""What a task is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Task:
    """A task by name, and the estimator that does it."""

    name: str
    summary: str
    estimator: Any  # a class; most are SequenceEstimators
    # Columns of data sets that are its outputs: for each, the names it may have.
    outputs: tuple[tuple[str, ...], ...] = ()
