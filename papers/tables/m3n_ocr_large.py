"""Handwritten words as in m3n-ocr, learnt from nine folds of ten."""

from __future__ import annotations

from papers.letters import ALONE, CLAIMS, COLUMNS, CRF, M3N, REMARKS, letter_row
from papers.measures import accuracy
from papers.reproduction import Reproduction
from papers.tasks import LETTERS_LARGE

REPRODUCTION = Reproduction(
    name="m3n-ocr-large",
    summary="the same as m3n-ocr; train on folds 1-9, test on fold 0",
    paper="taskar2003",
    title="Letters of handwritten words, learnt from nine folds of ten",
    task=LETTERS_LARGE,
    measure=accuracy,
    columns=COLUMNS,
    rows=(
        letter_row(ALONE, "m3n", {"C": 0.1, "gap": 0.03}, neighbours=False),
        letter_row(CRF, "crf", {"c2": 1.0}),
        letter_row(M3N, "m3n", {"C": 0.3, "gap": 0.03}),
    ),
    claims=CLAIMS,
    remarks=REMARKS,
    epochs=100,
    quick_sentences=60,
    drawn="accuracy",
)
