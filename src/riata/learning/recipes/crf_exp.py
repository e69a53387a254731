"""The conditional random field with the exponential loss."""

from riata.choosing.recipe import Recipe
from riata.data.types import MARK
from riata.learning.batch.settings import CONSTRAIN, PRIORS_OF_EXP, REFUSES, SETTINGS
from riata.learning.batch.trainer import Batch

RECIPE = Recipe(
    name="crf-exp",
    summary="minimise the sum of 1 / P of the true labels of sentences, with a prior on the weights",
    paper="altun2003",
    needs=frozenset({"argmax", "expectations"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, CONSTRAIN, MARK),
    trainer=Batch(loss="exp", priors=PRIORS_OF_EXP),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
)
