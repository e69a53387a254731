"""The recipe `laso-perceptron`."""

from riata.learning.search import search_recipe

RECIPE = search_recipe(
    "laso-perceptron",
    "search; where the truth leaves the queue, a perceptron step towards it, and on from it",
    "daume2005laso",
    when="laso",
    update="mean",
    step="perceptron",
)
