"""Handwritten words, letter by letter (Kassel 1995; Taskar, Guestrin & Koller 2003), as bitmaps of 16 x 8 pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from riata.data.columns import pieces
from riata.data.datasets import DataSet, File
from riata.data.types import Column, Corpus
from riata.errors import DataError

PIXELS = 128
BEFORE = 6  # columns of a line before the pixels: id, letter, next id, word, position, fold
FOLDS = {"train": (0,), "test": tuple(range(1, 10)), "train-large": tuple(range(1, 10)), "test-large": (0,)}
FILE = File("letter.data", "9d80f1a357b1d9859d444298a2438f04")


def letters(path: Path, split: str) -> Corpus:
    """The words of the folds of a split: a column of bitmaps, each a text of 128 characters 0 or 1, row by row, and a column of letters.

    The file has the words of a fold in the order of their spelling. Every tenth word comes first here, then the words after these, and so
    on, so that the last tenth of the words, which reproductions hold out, is like the others.
    """
    words: list[list[tuple[str, str]]] = []
    last = None
    for number, line in enumerate(b"".join(pieces(path)).decode("ascii", "replace").splitlines(), 1):
        fields = line.split("\t")
        if len(fields) < BEFORE + PIXELS or not fields[5].isdigit():
            raise DataError(f"expected {BEFORE + PIXELS} columns, found {len(fields)}.", file=path, line=number)
        if int(fields[5]) not in FOLDS[split]:
            continue
        if fields[3] != last:
            words.append([])
        words[-1].append(("".join(fields[BEFORE : BEFORE + PIXELS]), fields[1]))
        last = fields[3]
    dealt = [word for first in range(10) for word in words[first::10]]
    tokens = [token for word in dealt for token in word]
    starts = np.concatenate([[0], np.cumsum([len(word) for word in dealt])]).astype(np.int64)
    columns = tuple(Column.of([token[i] for token in tokens]) for i in (0, 1))
    return Corpus(columns=columns, starts=starts, name=str(path))


DATASET = DataSet(
    name="ocr-letters",
    summary="handwritten words, letter by letter; train is fold 0 of ten, test the others; train-large and test-large the other way round",
    licence="none stated",
    files=dict.fromkeys(FOLDS, FILE),
    columns=("bitmap", "letter"),
    default=("bitmap", "letter"),
    where="Put letter.data (tab separated: id, letter, next id, word, position, fold, 128 pixels) into $RIATA_DATA/ocr-letters.",
    reader=letters,
)
