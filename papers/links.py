"""Word alignment of the Hansards by the protocol of Taskar, Lacoste-Julien & Klein (2005): 100 pairs to learn from, 347 to score."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from papers.tasks import Trial
from riata.data.datasets import load
from riata.errors import DataError
from riata.matching.links import read_pairs
from riata.matching.pairs import LinkedPair
from riata.matching.scoring import LinkScores, score_links
from riata.scoring.figures import Sample
from riata.tasks.match import Matcher

FOLDS = 5
WHERE = (
    "Put fr-en.tsv and aligners.tsv.gz into $RIATA_DATA/hansards, and bitext.fr-en.tsv.gz into $RIATA_DATA/alignment."
)


def trial(asked: Trial) -> dict[str, Sample]:
    """Scores of links. With --final those of the test pairs; without it those of the training pairs, learnt in folds."""
    setting = dict(asked.setting)
    aligner, others = setting.pop("aligner", None), setting.pop("others", True)
    train, test = _quick() if asked.quick else (_pairs("train"), _pairs("test") if asked.final else [])
    if aligner is not None:
        scored = test or train
        found = score_links(scored, [pair.others.get(aligner, ()) for pair in scored])
        return _samples(found) | {"seconds_train": Sample(0.0)}
    bitext = [*train, *test] if asked.quick else _bitext()
    train, test = (pairs if others else [replace(pair, others={}) for pair in pairs] for pairs in (train, test))
    splits = (
        [(train, test)]
        if test
        else [([p for n, p in enumerate(train) if n % FOLDS != f], train[f::FOLDS]) for f in range(FOLDS)]
    )
    scored, links, seconds = [], [], 0.0
    for learnt, held in splits:
        asked.tell(f"{len(learnt)} pairs")
        matcher = Matcher(**setting, bitext=bitext, seed=asked.seed).fit(learnt, listener=lambda event: None)
        scored += held
        links += matcher.predict(held)
        seconds += float(matcher.seconds_ or 0)
    return _samples(score_links(scored, links)) | {"seconds_train": Sample(seconds / len(splits))}


def _samples(scores: LinkScores) -> dict[str, Sample]:
    return {name: Sample(value) for name, value in scores.metrics.items()}


def _folder(name: str) -> Path:
    folder = Path(os.environ.get("RIATA_DATA", "")) / name
    if not folder.is_dir():
        raise DataError(f"the data set {name!r} is not here: looked in {folder}.", remedy=WHERE)
    return folder


@cache
def _pairs(part: str) -> list[LinkedPair]:
    folder = _folder("hansards")
    return read_pairs(folder / "fr-en.tsv", part=part, others=folder / "aligners.tsv.gz")


@cache
def _bitext() -> list[LinkedPair]:
    """Other French-English text, and the words of all pairs without their links."""
    return [*read_pairs(_folder("alignment") / "bitext.fr-en.tsv.gz"), *read_pairs(_folder("hansards") / "fr-en.tsv")]


def _quick() -> tuple[Sequence[LinkedPair], Sequence[LinkedPair]]:
    """Sentences of the embedded corpus, with every two words exchanged."""
    made = []
    for sentence in load("embedded", "train", ("word",))[:40]:
        words = [token[0] for token in sentence]
        order = [n ^ 1 if n ^ 1 < len(words) else n for n in range(len(words))]
        links = frozenset((n, at) for at, n in enumerate(order))
        made.append(LinkedPair(words, [words[n] for n in order], links, others={"3": links, "5": links}))
    return made[:30], made[30:]
