"""Regularised Winnow."""

from riata.choosing.recipe import Recipe
from riata.learning.winnow import SETTINGS, WinnowTrainer

RECIPE = Recipe(
    name="winnow",
    summary="one classifier per label, with weights that are multiplied and drawn to a small prior; true labels before",
    paper="zhang2002",
    needs=frozenset({"argmax", "local sums"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    trainer=WinnowTrainer,
    epochs=20,
    whole=True,
    refuses={
        "seeds": "its objective has one optimum, which every seed comes near to",
        "shards": "every example has variables of its own, which are not mixed",
    },
)
