"""Roles of arguments whose boundaries are given, as Punyakanok, Roth, Yih & Zimak (2005, Sec. 5.2) classify them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from papers.inference_ways import by_cutoff
from papers.tasks import Trial
from riata.data.datasets import load
from riata.data.propbank import RoleCorpus
from riata.scoring.figures import Sample
from riata.tasks.srl import RoleLabeler

CUTOFFS = (1, 10, 100, 1000)  # least number of times that a feature was seen
MANY = 5  # arguments of a sentence, of all its predicates; the paper's sentences have more


@lru_cache(maxsize=2)
def _data(part: str, quick: bool, long: bool) -> RoleCorpus:
    """long: sentences with more than MANY arguments alone."""
    data = load("embedded-roles" if quick else "srl", part if not quick or part == "train" else "test")
    assert isinstance(data, RoleCorpus)
    counts = np.array([sum(len(one.roles) for one in sentence) for sentence in data.propositions])
    chosen = data[np.flatnonzero(counts > (1 if quick else MANY))] if long else data
    assert isinstance(chosen, RoleCorpus)
    return chosen


def trial(asked: Trial) -> dict[str, Sample]:
    """Accuracy, in per cent, by how often a feature must have been seen. The row's setting: inference, average, long."""
    long = asked.setting["long"]
    train = _data("train", asked.quick, long)
    test = _data("test" if asked.final else "dev", asked.quick, long)

    def trained(cutoff: int) -> RoleLabeler:
        made = RoleLabeler(
            "perceptron",
            boundaries="given",
            cutoff=1 if asked.quick else cutoff,
            epochs=asked.epochs,
            seed=asked.seed,
            threads=1,
            constraints="roles",
            inference=asked.setting["inference"],
            settings={"average": asked.setting["average"]},
        )
        return made.fit(train, listener=lambda _: None)

    return by_cutoff(asked, CUTOFFS, cutoff_key, trained, lambda made: made.evaluate(test))


def cutoff_key(cutoff: int) -> str:
    return f"accuracy_{cutoff}"
