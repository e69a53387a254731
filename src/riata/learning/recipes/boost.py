"""Sequence boosting."""

from riata.choosing.recipe import Recipe
from riata.learning.boosting import REFUSES, SETTINGS, BoostTrainer

RECIPE = Recipe(
    name="boost",
    summary="change one weight per round, for which a bound of the sum of 1 / P of the true labels falls most",
    paper="altun2003",
    needs=frozenset({"argmax", "single weights"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    trainer=BoostTrainer,
    epochs=100,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
    uncalibrated="boosting learns few data by heart, so its scores on them say nothing of those on many",
    earlier=lambda settings: False,
)
