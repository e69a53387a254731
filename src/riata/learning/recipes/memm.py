"""The maximum entropy Markov model."""

from riata.choosing.recipe import Recipe
from riata.learning.batch.settings import REFUSES, SETTINGS
from riata.learning.batch.trainer import Batch

RECIPE = Recipe(
    name="memm",
    summary="maximise the probability of each true label given the true one before, with a prior on the weights (L-BFGS; OWL-QN with c1)",
    paper="mccallum2000",
    needs=frozenset({"argmax", "local sums"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    trainer=Batch(per="step"),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
    earlier=lambda settings: False,
)
