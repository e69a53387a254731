"""The structural support vector machine with slacks scaled by the loss, by cutting planes."""

from riata.choosing.recipe import Recipe
from riata.inference.structure import FEATURE_WEIGHTS
from riata.learning.margin.settings import EPSILON, PRECISION, REFUSES, SLACKS, C
from riata.learning.margin.trainer import Margin

RECIPE = Recipe(
    name="svmstruct-slack",
    summary="every output must be beaten by 1, at a price that is its number of wrong labels times the shortfall (cutting planes)",
    paper="tsochantaridis2005",
    needs=frozenset({"argmax", "slack-rescaled argmax", FEATURE_WEIGHTS}),
    structure="chain",
    queue="exact",
    settings=(C, EPSILON, SLACKS, PRECISION),
    trainer=Margin({"one": "one-slack", "each": "n-slack"}, "slacks", scales_slack=True),
    epochs=1000,
    earlier=lambda settings: False,  # its search looks one label back
    whole=True,
    refuses={
        **REFUSES,
        "class_weight": "its search counts wrong labels, and all alike; sample_weight weighs sentences",
    },
)
