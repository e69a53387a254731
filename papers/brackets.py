"""Base noun phrases by two classifiers: does a phrase begin here, does it end here? (Punyakanok & Roth 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from papers.inference_ways import by_cutoff
from papers.tasks import Trial
from riata import constraints
from riata.data.datasets import load
from riata.data.types import Column, Corpus
from riata.features.templates import Template, parse
from riata.scoring.evaluation import Evaluation
from riata.scoring.figures import Sample
from riata.tasks.chunk import Chunker
from riata.tasks.tag import Tagger

OPEN, CLOSE, NOTHING = "[", "]", "-"
CUTOFFS = (1, 10, 100, 1000, 5000)  # least number of times that a feature of the row was seen

# A token has two slots: whether a phrase begins with it, and whether one ends with it. `x2` is which of the two; two slots are one token.
TEMPLATE = """
word[-4] word[-2] word[0] word[2] word[4]
tag[-4] tag[-2] tag[0] tag[2] tag[4]
word[-2]+word[0] word[0]+word[2] word[-2]+tag[0] word[0]+tag[-2] word[0]+tag[0] word[0]+tag[2] tag[0]+word[2]
tag[-4]+tag[-2] tag[-2]+tag[0] tag[0]+tag[2] tag[2]+tag[4]
tag[-4]+tag[-2]+tag[0] tag[-2]+tag[0]+tag[2] tag[0]+tag[2]+tag[4]
tag[-2]+word[0]+tag[2] tag[-2]+tag[0]+tag[2]+tag[4] tag[-4]+tag[-2]+tag[0]+tag[2]
suffix3[0] suffix3[-2] suffix3[2] shape[0] shape[-2] shape[2]
"""


def templates() -> list[Template]:
    """Every line with the question that is asked, so that the two classifiers share no weights."""
    return list(parse("\n".join(["x2[0]", *(f"x2[0] {one.replace('+', ' ')}" for one in TEMPLATE.split())])))


def constraint() -> constraints.automaton:
    """Phrases begin, end, and then the next may begin."""
    return constraints.automaton(
        {
            "begins?": {OPEN: "inside: ends?", NOTHING: "ends?"},
            "ends?": {NOTHING: "begins?"},
            "inside: ends?": {CLOSE: "begins?", NOTHING: "inside: begins?"},
            "inside: begins?": {NOTHING: "inside: ends?"},
        },
        ends=["begins?"],
    )


def slots(data: Corpus) -> Corpus:
    """Two slots per token: word, tag, question; and the answer, from the noun phrases of the chunk column."""
    words, tags, chunks = data.columns
    labels = np.array(chunks.texts())
    inside = np.char.endswith(labels, "-NP")
    begins = labels == "B-NP"
    last = np.zeros(len(labels), bool)
    last[data.starts[1:] - 1] = True
    ends = inside & (last | np.append(~inside[1:] | begins[1:], True))
    answers = np.full((len(labels), 2), NOTHING)
    answers[begins, 0], answers[ends, 1] = OPEN, CLOSE
    columns = [Column(one.alphabet, np.repeat(one.ids, 2)) for one in (words, tags)]
    questions = Column.of([OPEN, CLOSE] * len(labels))
    return Corpus((*columns, questions, Column.of(answers.ravel().tolist())), 2 * data.starts, data.name)


def phrases(answers: Sequence[str]) -> list[str]:
    """The answers of a sentence as chunk labels: a phrase goes from a bracket to the next one that closes."""
    labels = ["O"] * (len(answers) // 2)
    begin: int | None = None
    for at, answer in enumerate(answers):
        if answer == OPEN:
            begin = at // 2
        elif answer == CLOSE and begin is not None:
            labels[begin : at // 2 + 1] = ["B-NP"] + ["I-NP"] * (at // 2 - begin)
            begin = None
    return labels


@lru_cache(maxsize=1)
def _data(quick: bool, final: bool) -> tuple[Corpus, Corpus, Corpus, list[str]]:
    """Slots to learn from and to score, and the sentences of the latter with their chunk labels."""
    if quick:
        train = load("embedded", "train")
        first = len(train) * 9 // 10
        train, test = train[:200], train[first:]
    else:
        train = load("conll2000", "train")
        first = len(train) * 9 // 10
        train, test = (train, load("conll2000", "test")) if final else (train[:first], train[first:])
    truth = [text if text.endswith("-NP") else "O" for text in test.columns[-1].texts()]
    return slots(train), slots(test), test, truth


def trial(asked: Trial) -> dict[str, Sample]:
    """F1 of noun phrases, by how often a feature must have been seen. The row's setting: recipe, inference, settings."""
    train, test, sentences, truth = _data(asked.quick, asked.final)

    def trained(cutoff: int) -> Tagger:
        made = Tagger(
            asked.setting["recipe"],
            template=templates(),
            cutoff=cutoff,
            epochs=asked.epochs,
            seed=asked.seed,
            threads=1,
            constraints=[constraint()],
            inference=asked.setting["inference"],
            settings=dict(asked.setting.get("settings", {})),
        )
        return made.fit(train, listener=lambda _: None)

    def scored(made: Tagger) -> Evaluation:
        labels = [label for answers in made.predict(test) for label in phrases(answers)]
        return Chunker.labels.compared([Column.of(truth)], [Column.of(labels)], sentences.starts, chunks=True)

    return by_cutoff(asked, CUTOFFS, cutoff_key, trained, scored)


def cutoff_key(cutoff: int) -> str:
    return f"f1_{cutoff}"
