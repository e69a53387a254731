"""The conditional random field whose labels count one by one."""

from riata.choosing.recipe import Recipe
from riata.data.types import MARK
from riata.learning.batch.settings import CONSTRAIN, REFUSES, SETTINGS
from riata.learning.batch.trainer import Batch

RECIPE = Recipe(
    name="crf-pointwise",
    summary="maximise the probability of each true label, over all labels of the others, with a prior on the weights",
    paper="altun2003",
    needs=frozenset({"argmax", "label sums"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, CONSTRAIN, MARK),
    trainer=Batch(per="label", loss="pointwise-log"),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
    earlier=lambda settings: False,
)
