"""The recipe `standard`."""

from riata.learning.search import search_recipe

RECIPE = search_recipe(
    "standard",
    "search to the end, then one update against what was found: the perceptron under inexact search",
    "collins2002",
    when="standard",
    update="best",
    step="perceptron",
)
