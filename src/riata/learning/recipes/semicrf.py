"""The conditional random field over segments: `crf`, by the name that it has there."""

from dataclasses import replace

from riata.learning.recipes.crf import RECIPE as CRF

RECIPE = replace(
    CRF,
    name="semicrf",
    alias_of=CRF.name,
    summary="crf on segments: maximise the probability of the true segments among all segmentations of a sentence",
    paper="sarawagi2004",
    needs=CRF.needs | {"whole segments"},
    structure="segments",
)
