"""The perceptron with a margin."""

from riata.choosing.recipe import Recipe
from riata.learning.loop import SETTINGS
from riata.settings import Setting

RECIPE = Recipe(
    name="margin-perceptron",
    summary="find the best labels but the true ones; where these are not ahead by a margin, a step towards them; average",
    paper="",
    needs=frozenset({"argmax", "k best"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, Setting("margin", 1.0, "by which the truth must win", low=0.0)),
    learner="margin-perceptron",
)
