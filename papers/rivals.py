"""Parsers that learn by search, with beams of several widths: when to update, on trees."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from papers.tasks import Trial
from riata.data.datasets import load
from riata.data.types import Corpus
from riata.scoring.figures import Sample
from riata.tasks.parse import DependencyParser

BEAMS = (1, 4, 16, 64)
SENTENCES = 3000  # that are learnt from, the first ones
COLUMNS = ("form", "upos", "xpos", "feats", "head", "deprel")
QUICK_COLUMNS = (1, 3, 4, 5, 6)  # of files of roles: words, tags, heads and relations


@lru_cache(maxsize=2)
def _data(part: str, quick: bool) -> Corpus:
    if quick:
        found = load("embedded-roles", "train" if part == "train" else "test")
        return Corpus(found.columns, found.starts, name=found.name).select(QUICK_COLUMNS)
    data = load("ud-en-ewt", part, list(COLUMNS))
    return data[:SENTENCES] if part == "train" else data


def trial(asked: Trial) -> dict[str, Sample]:
    """LAS with its sentences, UAS, and CPU seconds of training, by the width of the beam. The row's setting: recipe, and whether it is
    trained greedily and searches with the beam in predictions only.
    """
    train, scored = _data("train", asked.quick), _data("test" if asked.final else "dev", asked.quick)
    found: dict[str, Sample] = {}
    made, seconds = None, 0.0
    for beam in BEAMS:
        asked.tell(f"beam {beam}")
        if made is None or not asked.setting["greedy"]:
            began = time.thread_time()
            made = _trained(asked, beam, train)
            seconds = time.thread_time() - began
        evaluation = made.twin(beam=beam).evaluate(scored)
        found[las_key(beam)] = Sample.of(evaluation)
        found[f"uas_{beam}"] = Sample(evaluation.metrics["uas"])
        found[seconds_key(beam)] = Sample(seconds)
    return found


def _trained(asked: Trial, beam: int, train: Corpus) -> Any:
    parser = DependencyParser(
        asked.setting["recipe"],
        beam=beam,
        epochs=asked.epochs,
        seed=asked.seed,
        threads=1,
        template="fast",
        tags="given",
    )
    return parser.fit(train, listener=lambda _: None)


def las_key(beam: int) -> str:
    return f"las_{beam}"


def seconds_key(beam: int) -> str:
    return f"seconds_{beam}"
