"""The conditional random field with the exponential loss of each label."""

from riata.choosing.recipe import Recipe
from riata.data.types import MARK
from riata.learning.batch.settings import CONSTRAIN, PRIORS_OF_EXP, REFUSES, SETTINGS
from riata.learning.batch.trainer import Batch

RECIPE = Recipe(
    name="crf-pointwise-exp",
    summary="minimise the sum of 1 / P of each true label, over all labels of the others, with a prior on the weights",
    paper="altun2003",
    needs=frozenset({"argmax", "label sums"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, CONSTRAIN, MARK),
    trainer=Batch(per="label", loss="pointwise-exp", priors=PRIORS_OF_EXP),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
    earlier=lambda settings: False,
)
