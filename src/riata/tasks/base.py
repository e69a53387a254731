"""What a task is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator


@dataclass(frozen=True)
class Task:
    """A task by name, and the estimator that does it."""

    name: str
    summary: str
    estimator: type[SequenceEstimator]
    # Columns of data sets that are its outputs: for each, the names it may have.
    outputs: tuple[tuple[str, ...], ...] = ()
