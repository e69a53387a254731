"""The objective of m3n by subgradient steps."""

from riata.choosing.losses import DECODING, loss_settings
from riata.choosing.recipe import Recipe
from riata.inference.structure import FEATURE_WEIGHTS, SPACE, STEP_LOSSES
from riata.learning.margin.settings import PRECISION, REFUSES, SHUFFLE, C
from riata.learning.margin.trainer import Margin
from riata.learning.search import SEARCH_SETTINGS
from riata.settings import Setting

NAME, PAPER = "svm-subgradient", "ratliff2007"
AVERAGE = Setting("average", True, "average the weights over all steps, later ones more (false: keep the last ones)")
SIBLINGS = next(setting for setting in SEARCH_SETTINGS if setting.name == "siblings")

# Without exact inference, the output that violates its margin most is searched for, with the loss of every step added to its score.
BY_SEARCH = Recipe(
    name=NAME,
    summary="the same, where the output that violates its margin most is found by search, which may miss it",
    paper=PAPER,
    needs=frozenset({SPACE, STEP_LOSSES, FEATURE_WEIGHTS}),
    structure="joint",
    queue="beam",
    settings=(C, AVERAGE, SHUFFLE, PRECISION, SIBLINGS, *DECODING),
    searches=True,
    epochs=20,
    whole=True,
    refuses={
        **REFUSES,
        "class_weight": "the loss is added to steps, not to single labels; sample_weight weighs sentences",
    },
    fixed={
        **{setting.name: setting.default for setting in SEARCH_SETTINGS},
        "when": "standard",
        "update": "best",
        "step": "subgradient",
    },
    note=f"{NAME} is approximate here: it looks for outputs that violate their margins by search, which may miss the worst ones.",
)

RECIPE = Recipe(
    name=NAME,
    summary="the objective of m3n by steps away from the output that violates its margin most, ever smaller; average",
    paper=PAPER,
    needs=frozenset({"argmax", "loss-augmented argmax", FEATURE_WEIGHTS}),
    structure="chain",
    queue="exact",
    settings=(
        C,
        Setting(
            "method",
            "stochastic",
            "a step after every sentence, or one after all of them",
            choices=("stochastic", "batch"),
        ),
        AVERAGE,
        SHUFFLE,
        PRECISION,
        *loss_settings(searched=True),
    ),
    trainer=Margin({"": "subgradient"}),
    epochs=20,
    whole=True,
    refuses=REFUSES,
    searched=BY_SEARCH,
)
