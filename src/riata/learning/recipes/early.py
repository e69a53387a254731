"""The recipe `early`."""

from riata.learning.search import search_recipe

RECIPE = search_recipe(
    "early",
    "search; where the truth leaves the beam, one update against the best state, then the next sentence",
    "collins2004",
    when="early",
    update="best",
    step="perceptron",
)
