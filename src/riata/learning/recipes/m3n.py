"""The max-margin Markov network, by block-coordinate Frank-Wolfe, which remembers outputs, or another solver."""

from dataclasses import replace

from riata.choosing.losses import loss_settings
from riata.choosing.recipe import Recipe
from riata.learning.margin.settings import C_OR_AUTO, PRECISION, REFUSES, SHUFFLE, SMALLEST, SOLVER, SOLVERS
from riata.learning.margin.trainer import Margin
from riata.settings import Setting

RECIPE = Recipe(
    name="m3n",
    summary="the smallest weights by which the truth beats every output by its loss, violations at a price (with a "
    "certificate of how near the optimum is)",
    paper="taskar2003",
    needs=frozenset({"argmax", "loss-augmented argmax"}),
    structure="chain",
    queue="exact",
    settings=(
        C_OR_AUTO,
        SOLVER,
        Setting(
            "gap", 0.01, "stop when the objective is certainly within this part of its minimum", low=SMALLEST, high=1.0
        ),
        Setting(
            "average",
            False,
            "average the weights over all steps, later ones more; frank-wolfe is then mostly nearer to the minimum",
        ),
        replace(SHUFFLE, only={"solver": tuple(solver for solver in SOLVERS if solver != "extragradient")}),
        PRECISION,
        *loss_settings(searched=True),
    ),
    trainer=Margin({solver: solver for solver in SOLVERS}, "solver"),
    epochs=500,
    whole=True,
    refuses=REFUSES,
)
