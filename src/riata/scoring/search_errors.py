"""Whose fault a wrong sentence is: the search, which missed what the weights prefer, or the weights, which prefer a wrong output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.data.types import Ids, Starts
from riata.models.model import Model

ROUNDING = 1e-5  # relative; scores are sums of single-precision numbers


@dataclass(frozen=True)
class SearchErrors:
    """Wrong outputs by fault. A tie: the truth scores as high as what was found, and the search took the other.

    test: "exact" where a search error is an output below the best of all; "truth" where that best is too costly to find, and a
    search error is an output below the truth. The second test finds only some of the search errors; the others count as the model's.
    """

    wrong: int
    search: int
    model: int
    ties: int
    test: str = "exact"
    of: tuple[str, ...] = field(default=(), repr=False)  # one by one: "right", "search", "model" or "tie"

    @property
    def counts(self) -> dict[str, int | str]:
        return {name: getattr(self, name) for name in ("wrong", "search", "model", "ties", "test")}

    @classmethod
    def counted(cls, faults: Sequence[str], test: str) -> SearchErrors:
        search, model, ties = (faults.count(fault) for fault in ("search", "model", "tie"))
        return cls(search + model + ties, search, model, ties, test, tuple(faults))


def faults(
    wrong: NDArray[np.bool_], found: NDArray[np.float64], best: NDArray[np.float64], truth: NDArray[np.float64]
) -> list[str]:
    """Whose fault each output is, from its score, the best score known, and that of the truth."""
    slack = ROUNDING * (1 + np.abs(best))
    missed = best > found + slack
    tied = ~missed & (np.abs(truth - found) <= slack)
    names = np.where(missed, "search", np.where(tied, "tie", "model"))
    return [str(name) for name in np.where(wrong, names, "right")]


def split_errors(
    model: Model, instances: Instances, predicted: Ids, exact: Ids | None, gold: Ids, starts: Starts
) -> SearchErrors:
    """Compares what was found with the exact argmax under the same weights or, where that is None, with the truth.

    gold: label ids, -1 where the model does not know the label.
    """
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    wrong = np.zeros(len(starts) - 1, bool)
    wrong[sentence[predicted != gold]] = True
    found = model.scores_of(instances, predicted)
    truth = model.scores_of(instances, np.where(gold < 0, predicted, gold).astype(np.int32))
    truth[np.unique(sentence[gold < 0])] = -np.inf
    best = np.maximum(truth, found) if exact is None else model.scores_of(instances, exact)
    return SearchErrors.counted(faults(wrong, found, best, truth), "truth" if exact is None else "exact")
