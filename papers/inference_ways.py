"""Learning without inference, before it and with it: what the tables after Punyakanok, Roth, Yih & Zimak (2005) have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from papers.tasks import Trial
from riata.models.weights_by_name import by_name
from riata.scoring.evaluation import Evaluation
from riata.scoring.figures import Sample

WAYS = {"LO": "none", "L+I": "after", "IBT": "during"}  # values of the parameter inference


def separated(made: Any) -> Sample:
    """100 if training ended with a cycle without errors, otherwise 0."""
    return Sample(100 * float(made.history_[-1]["updates"] == 0))


def separated_key(number: int) -> str:
    return f"separated_{number}"


def by_cutoff(
    asked: Trial,
    cutoffs: Iterable[int],
    key: Callable[[int], str],
    train: Callable[[int], Any],
    score: Callable[[Any], Evaluation],
) -> dict[str, Sample]:
    """The score, by how often a feature must have been seen; whether training ended without errors; and the number of weights.

    train: gives a trained estimator. key: of the score.
    """
    found: dict[str, Sample] = {}
    for cutoff in cutoffs:
        asked.tell(f"features seen {cutoff:,} times")
        made = train(cutoff)
        found[key(cutoff)] = Sample.of(score(made))
        found[separated_key(cutoff)] = separated(made)
        found[f"weights_{cutoff}"] = Sample(by_name(made.model_).count())
    return found
