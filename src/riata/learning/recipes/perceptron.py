"""The averaged structured perceptron."""

from riata.choosing.recipe import Recipe
from riata.learning.loop import SETTINGS

RECIPE = Recipe(
    name="perceptron",
    summary="find the best labels; where they are wrong, add the features of the truth and take away those found; average",
    paper="collins2002",
    needs=frozenset({"argmax"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    learner="perceptron",
    constrained=True,
)
