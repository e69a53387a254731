"""The conditional random field."""

from riata.choosing.recipe import Recipe
from riata.data.types import MARK
from riata.learning.batch.settings import CONSTRAIN, OPTIMISER, REFUSES, SETTINGS
from riata.learning.batch.trainer import Batch

RECIPE = Recipe(
    name="crf",
    summary="maximise the probability of the true labels given their sentence, with a prior on the weights (L-BFGS; OWL-QN with c1)",
    paper="lafferty2001",
    needs=frozenset({"argmax", "expectations"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, OPTIMISER, CONSTRAIN, MARK),
    trainer=Batch(),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
)
