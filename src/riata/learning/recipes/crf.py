"""The conditional random field."""

from riata.choosing.recipe import Recipe
from riata.data.unknown import MARK
from riata.learning.batch.chain import ChainBatch
from riata.learning.batch.settings import CONSTRAIN, OPTIMISER, REFUSES, SETTINGS

RECIPE = Recipe(
    name="crf",
    summary="maximise the probability of the true labels given their sentence, with a prior on the weights (L-BFGS; OWL-QN with c1)",
    paper="lafferty2001",
    needs=frozenset({"argmax", "expectations"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, OPTIMISER, CONSTRAIN, MARK),
    trainer=ChainBatch(),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
)
