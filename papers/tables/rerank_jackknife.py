"""Choosing from lists of the best chunkings: with jack-knifing and without, for sentence F1 and for whole sentences."""

from __future__ import annotations

from papers.claims import beats, no_better
from papers.reproduction import Column, Reproduction, Row
from papers.reranked import NBEST, trial
from papers.tasks import Task

BASE, ERRORS, SEEN, F1, WHOLE, LIKELIHOOD = (
    "base",
    "errors",
    "errors, not jack-knifed",
    "sentence F1",
    "0/1",
    "likelihood",
)

REPRODUCTION = Reproduction(
    name="rerank-jackknife",
    summary="chunks chosen from lists of the best: what jack-knifing brings, and which loss to learn",
    paper="daume2006thesis",
    title=f"Choosing from the {NBEST} best chunkings of a CRF",
    task=Task("chunks from lists", dict, (), data="conll2000", trial=trial),
    columns=(
        Column("f1", "F", interval=True),
        Column("whole", "sentences"),
        Column("oracle", "oracle F"),
        Column("seconds_lists", "lists", "{:.0f} s".format),
        Column("seconds_train", "learning", "{:.0f} s".format),
    ),
    rows=(
        Row(BASE, {}, {}),
        Row(ERRORS, {"measure": "errors"}, {}),
        Row(SEEN, {"measure": "errors", "folds": 1}, {}, note="lists by a model that has seen the sentence"),
        Row(F1, {"measure": "sentence"}, {}),
        Row(WHOLE, {"measure": "zero-one"}, {}),
        Row(LIKELIHOOD, {"recipe": "crf", "c2": 3}, {}),
    ),
    claims=(
        beats("A reranker beats its base.", "f1", (ERRORS, BASE)),
        beats("It has to learn from outputs of models that have not seen the sentence.", "f1", (ERRORS, SEEN)),
        no_better("Without jack-knifing, nothing is gained.", "f1", (SEEN, BASE)),
    ),
    remarks=(
        "Our own table: the overview describes reranking, and its two drawbacks, without figures. Every seed holds out another tenth of "
        "the training data; the folds are runs of neighbouring sentences.",
        "errors, sentence F1 and 0/1: what MIRA counts (5 epochs). likelihood: maximum entropy over the list (crf, c2 = 3).",
    ),
    quick_epochs=1,
)
