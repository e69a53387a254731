"""The structural support vector machine with margins scaled by the loss, by cutting planes."""

from riata.choosing.losses import loss_settings
from riata.choosing.recipe import Recipe
from riata.inference.structure import FEATURE_WEIGHTS
from riata.learning.margin.settings import EPSILON, PRECISION, REFUSES, SLACKS, C
from riata.learning.margin.trainer import Margin

RECIPE = Recipe(
    name="svmstruct-margin",
    summary="the objective of m3n by cutting planes: outputs that violate their margin become constraints, as needed",
    paper="tsochantaridis2005",
    needs=frozenset({"argmax", "loss-augmented argmax", FEATURE_WEIGHTS}),
    structure="chain",
    queue="exact",
    settings=(C, EPSILON, SLACKS, PRECISION, *loss_settings(searched=True)),
    trainer=Margin({"one": "one-slack", "each": "n-slack"}, "slacks"),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
)
