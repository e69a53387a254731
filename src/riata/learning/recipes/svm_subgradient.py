"""The objective of m3n by subgradient steps."""

from riata.choosing.losses import loss_settings
from riata.choosing.recipe import Recipe
from riata.inference.structure import FEATURE_WEIGHTS
from riata.learning.margin.settings import PRECISION, REFUSES, SHUFFLE, C
from riata.learning.margin.trainer import Margin
from riata.settings import Setting

RECIPE = Recipe(
    name="svm-subgradient",
    summary="the objective of m3n by steps away from the output that violates its margin most, ever smaller; average",
    paper="ratliff2007",
    needs=frozenset({"argmax", "loss-augmented argmax", FEATURE_WEIGHTS}),
    structure="chain",
    queue="exact",
    settings=(
        C,
        Setting(
            "method",
            "stochastic",
            "a step after every sentence, or one after all of them",
            choices=("stochastic", "batch"),
        ),
        Setting("average", True, "average the weights over all steps, later ones more (false: keep the last ones)"),
        SHUFFLE,
        PRECISION,
        *loss_settings(searched=True),
    ),
    trainer=Margin({"": "subgradient"}),
    epochs=20,
    whole=True,
    refuses=REFUSES,
)
