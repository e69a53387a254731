"""What the estimators of sequence labelling share, put together from the rooms in riata/estimators, and what a task is."""

from __future__ import annotations

from dataclasses import dataclass

from riata.estimators.fitting import Fitting
from riata.estimators.keeping import Keeping
from riata.estimators.looking import Looking
from riata.estimators.parameters import PARAMETERS


@dataclass(frozen=True)
class Task:
    """A task by name, and the estimator that does it."""

    name: str
    summary: str
    estimator: type[SequenceEstimator]
    # Columns of data sets that are its outputs: for each, the names it may have.
    outputs: tuple[tuple[str, ...], ...] = ()


class SequenceEstimator(Fitting, Looking, Keeping):
    __doc__ = (
        f"""One label per token. Subclasses say what the labels are and which template is theirs.\n\n{PARAMETERS}"""
    )
