"""Columns of arrays that differ in scale, which learners that add up features hardly learn from."""

from __future__ import annotations

import numpy as np

from riata.choosing.recipe import Recipe
from riata.data.types import Corpus
from riata.errors import shortened
from riata.learning.events import Listener, Note

FAR = 30  # from here on, how many times as large one column is as another: docs/features.md


def tell_of_scales(data: Corpus, recipe: Recipe, listener: Listener) -> None:
    """Warns if some columns are far larger than others. Recipes with probabilities find weights of any scale."""
    if data.vectors is None or recipe.probabilistic:
        return
    counts, squares = np.zeros(data.vectors.width), np.zeros(data.vectors.width)
    for array in data.vectors.blocks():
        counts += np.count_nonzero(array, axis=0)
        squares += np.square(array, dtype=np.float64).sum(axis=0)
    some = np.flatnonzero(counts)  # columns that are not 0 throughout
    if not len(some):
        return
    sizes = np.sqrt(squares[some] / counts[some])
    large, small = int(np.argmax(sizes)), int(np.argmin(sizes))
    if sizes[large] < FAR * sizes[small]:
        return
    text = (
        f"Columns of the arrays differ in scale: the values of column {some[large]} are about {sizes[large]:.3g}, those of "
        f"column {some[small]} are about {sizes[small]:.3g}. The recipe {recipe.name!r} hardly learns from the small ones. Divide each "
        "column by its standard deviation over the training data, or use the recipe 'crf'."
    )
    listener(Note(shortened(text), warning=True))
