"""A conditional random field that gives up sentences which it cannot learn."""

from dataclasses import replace

from riata.learning.batch.trainer import Batch
from riata.learning.recipes.crf import RECIPE as CRF

RECIPE = replace(
    CRF,
    name="crf-tempered",
    summary="as crf, with a loss that is bounded: sentences whose labels cannot be learnt count for little",
    paper="",
    trainer=Batch(loss="tempered"),
)
