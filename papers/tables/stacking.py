"""Entities in two passes, with jackknifing and without (Krishnan & Manning 2006; Cohen & Carvalho 2005)."""

from __future__ import annotations

from papers.claims import beats, equal
from papers.measures import scores
from papers.reproduction import SCORES, Reproduction, Row
from papers.tasks import ENTITIES

ONE, TWO, SEEN, WINDOW = "one pass", "two passes", "two, not jackknifed", "two, window"
FILE = {"passes": 2, "context": "file"}

REPRODUCTION = Reproduction(
    name="stacking",
    summary="entities in two passes: labels of the same words elsewhere, jackknifed or not",
    paper="krishnan2006two",
    title="Two passes over Spanish entities, and what jackknifing brings",
    task=ENTITIES,
    measure=scores,
    columns=SCORES,
    rows=(
        Row(ONE, {}, {}),
        Row(TWO, FILE, {}),
        Row(
            SEEN,
            {**FILE, "folds": 1},
            {},
            note="the second model learns from labels of a model that has seen the sentence",
        ),
        Row(WINDOW, {"passes": 2, "context": "window"}, {}),
    ),
    claims=(
        beats("Labels of the same words elsewhere help (Krishnan & Manning).", "f1", (TWO, ONE)),
        beats(
            "The second model has to learn from labels of models that have not seen the sentence.", "f1", (TWO, SEEN)
        ),
        equal("Without jackknifing, the second pass only copies the first.", "f1", 0.1, (SEEN, ONE)),
    ),
    remarks=(
        "Our own table: the papers report other languages and learners, so there are no figures of theirs beside ours.",
        "The default learner, mira; whole input as context (file), but for the row of the window, 100 sentences.",
        "The first model alone has seen all data; times include its five companions.",
    ),
    quick_epochs=2,
    quick_sentences=100,
)
