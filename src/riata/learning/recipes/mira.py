"""MIRA: the smallest step that makes the truth beat what was found by its loss."""

from riata.choosing.losses import loss_settings
from riata.choosing.recipe import Recipe
from riata.inference.structure import FEATURE_WEIGHTS
from riata.learning.loop import SETTINGS
from riata.settings import Setting

SMALLEST = 1e-9  # with a cost of 0 nothing would ever be learnt, nor with steps of size 0

RECIPE = Recipe(
    name="mira",
    summary="find the best labels with a cost for wrong ones; move as little as it takes for the truth to win by "
    "that cost, at most C; average",
    paper="crammer2003",
    needs=frozenset({"loss-augmented argmax", "k best", FEATURE_WEIGHTS}),
    structure="chain",
    queue="exact",
    settings=(
        *SETTINGS,
        Setting("C", 0.06, "the largest step; only its ratio to cost matters in training from zero", low=SMALLEST),
        Setting("cost", 1.0, "of a wrong label: the margin by which the truth must win", low=SMALLEST),
        Setting("k", 1, "outputs that the truth must beat in each step", low=1, high=1000),
        *loss_settings(searched=False),
    ),
    learner="mira",
    epochs=20,
)
