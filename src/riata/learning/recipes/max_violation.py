"""The recipe `max-violation`."""

from riata.learning.search import search_recipe

RECIPE = search_recipe(
    "max-violation",
    "search to the end; then one update where the best state beat the truth by most",
    "huang2012",
    when="max-violation",
    update="best",
    step="perceptron",
)
