"""The conditional random field over segments."""

from riata.learning.batch.trainer import REFUSES, SETTINGS
from riata.learning.recipe import Recipe

RECIPE = Recipe(
    name="semicrf",
    summary="maximise the probability of the true segments among all segmentations of a sentence, with a prior on the weights (L-BFGS; OWL-QN with c1)",
    paper="sarawagi2004",
    needs=frozenset({"argmax", "expectations", "whole segments"}),
    structure="segments",
    queue="exact",
    settings=SETTINGS,
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
)
