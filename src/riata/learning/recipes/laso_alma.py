"""The recipe `laso-alma`."""

from riata.learning.search import search_recipe

RECIPE = search_recipe(
    "laso-alma",
    "laso-perceptron with approximate large-margin steps",
    "daume2005laso",
    when="laso",
    update="mean",
    step="alma",
)
