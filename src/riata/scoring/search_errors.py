"""Whose fault a wrong sentence is: the search, which missed what the weights prefer, or the weights, which prefer a wrong output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riata._core import Instances
from riata.data.types import Ids, Starts
from riata.models.chain import ChainModel

ROUNDING = 1e-5  # relative; scores are sums of single-precision numbers


@dataclass(frozen=True)
class SearchErrors:
    """Sentences by fault. A tie: the truth scores as high as what was found, and the search took the other."""

    wrong: int
    search: int
    model: int
    ties: int


def split_errors(
    model: ChainModel, instances: Instances, predicted: Ids, exact: Ids, gold: Ids, starts: Starts
) -> SearchErrors:
    """Compares what was found with the exact argmax, under the same weights.

    gold: label ids, -1 where the model does not know the label. Where an exact search exists, its argmax decides; that
    gold scores above the output would only find some of the search errors.
    """
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    wrong = np.unique(sentence[predicted != gold])
    found = model.scores_of(instances, predicted)
    best = model.scores_of(instances, exact)
    truth = model.scores_of(instances, np.where(gold < 0, predicted, gold).astype(np.int32))
    truth[np.unique(sentence[gold < 0])] = -np.inf
    slack = ROUNDING * (1 + np.abs(best))
    missed = best > found + slack
    tied = ~missed & (np.abs(truth - found) <= slack)
    search, ties = int(missed[wrong].sum()), int(tied[wrong].sum())
    return SearchErrors(len(wrong), search, len(wrong) - search - ties, ties)
