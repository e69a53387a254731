"""How fast solvers of one max-margin problem come to its minimum (after Lacoste-Julien et al. 2013, Fig. 1)."""

from __future__ import annotations

from typing import Any

from papers.claims import lower
from papers.measures import objective_key, objectives
from papers.reproduction import Column, Reproduction, Row
from papers.tasks import LETTERS

PASSES = (1, 10, 20, 30, 50, 70, 100)  # in the picture, and in JSON, both with duality gaps
SHOWN = (10, 20, 100)  # in the table
C = 0.1
FRANK_WOLFE, PAIRWISE, GRADIENT, EXTRA = "Frank-Wolfe", "pairwise", "exp. gradient", "extragradient"
SUBGRADIENT, BATCH, ONE, EACH = "subgradient", "batch subgradient", "one slack", "a slack each"


def row(name: str, recipe: str, **settings: Any) -> Row:
    return Row(name, {"recipe": recipe, "settings": {"C": C, **settings}}, {})


REPRODUCTION = Reproduction(
    name="svm-convergence",
    summary="objective and duality gap against passes, of every solver of the max-margin problem",
    paper="lacostejulien2013",
    title="Solvers of one max-margin problem: objective and gap (%) against passes",
    task=LETTERS,
    measure=objectives(PASSES),
    columns=(
        Column("seconds_train", "train", "{:.1f} s".format),
        *(Column(objective_key(n), f"P({n})", "{:.1f}".format) for n in SHOWN),
    ),
    rows=(
        row(FRANK_WOLFE, "m3n", gap=1e-6, average=True, solver="frank-wolfe"),
        row(PAIRWISE, "m3n", gap=1e-6, average=True, solver="pairwise"),
        row(GRADIENT, "m3n", gap=1e-6, average=True, solver="exponentiated-gradient"),
        row(EXTRA, "m3n", gap=1e-6, average=True, solver="extragradient"),
        row(SUBGRADIENT, "svm-subgradient"),
        row(BATCH, "svm-subgradient", method="batch"),
        row(ONE, "svmstruct-margin", epsilon=1e-4),
        row(EACH, "svmstruct-margin", epsilon=1e-4, slacks="each"),
    ),
    claims=(
        lower(
            "Frank-Wolfe is ahead of subgradient steps and of cutting planes with one slack after 20 passes.",
            objective_key(20),
            (FRANK_WOLFE, SUBGRADIENT),
            (FRANK_WOLFE, BATCH),
            (FRANK_WOLFE, ONE),
        ),
        lower(
            "Exponentiated gradient is ahead of cutting planes (Collins et al. 2008).",
            objective_key(20),
            (GRADIENT, ONE),
        ),
    ),
    remarks=(
        "Frank-Wolfe, pairwise steps, exponentiated gradient and extragradient are solvers of m3n; one slack and a slack each are cutting "
        "planes (svmstruct-margin).",
        "Our own table, of letters of fold 0; the papers draw curves of other data.",
        "A pass goes through all words once; of the extragradient method it is an iteration, of two or more sums each.",
        "Objectives are those of the weights that the recipes give: averages, but for cutting planes.",
    ),
    epochs=max(PASSES),
    quick_epochs=10,
    quick_sentences=30,
    sentences=626,
    picture="curves",
    drawn=objective_key(100),
)
