"""The maximum entropy Markov model."""

from collections.abc import Mapping, Sequence
from typing import Any

from riata.choosing.recipe import Recipe
from riata.features.templates import CLASSIFIERS, PREVIOUS, Template, by_label_before
from riata.learning.batch.settings import REFUSES, SETTINGS
from riata.learning.batch.trainer import Batch
from riata.settings import Setting

SETTING = Setting(
    CLASSIFIERS,
    "one",
    "one for all labels before, or one for each (previous), with weights of its own for every feature",
    choices=("one", PREVIOUS),
)


def rewritten(templates: Sequence[Template], settings: Mapping[str, Any]) -> tuple[Template, ...]:
    """The templates that are learnt, for templates that are given."""
    return by_label_before(templates) if settings[CLASSIFIERS] == PREVIOUS else tuple(templates)


RECIPE = Recipe(
    name="memm",
    summary="maximise the probability of each true label given the true one before, with a prior on the weights (L-BFGS; OWL-QN with c1)",
    paper="mccallum2000",
    needs=frozenset({"argmax", "local sums"}),
    structure="chain",
    queue="exact",
    settings=(*SETTINGS, SETTING),
    rewritten=rewritten,
    trainer=Batch(per="step"),
    epochs=1000,
    whole=True,
    refuses=REFUSES,
    probabilistic=True,
    earlier=lambda settings: False,
)
