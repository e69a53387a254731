"""Settings of max-margin learners."""

from __future__ import annotations

from riata.choosing.losses import BY_SUMS
from riata.errors import UnsupportedError
from riata.settings import Setting

AUTO = "auto"
SMALLEST = 1e-9
LARGEST = 1e9  # of C: squares of weights must not overflow in single precision

SHUFFLE = Setting("shuffle", True, "visit the sentences of every epoch in a new order")
PRECISION = Setting("precision", "single", "arithmetic of the weights while learning", choices=("single", "double"))
C_HELP = "the weight of the hinge losses beside half the squared norm of the weights; lambda = 1 / (C n)"
C = Setting("C", 0.1, C_HELP, low=SMALLEST, high=LARGEST)
C_OR_AUTO = Setting(
    "C", AUTO, f"{C_HELP}; auto: chosen on held-out sentences", low=SMALLEST, high=LARGEST, words=(AUTO,)
)
EPSILON = Setting(
    "epsilon", 0.01, "stop when hinge losses exceed what constraints ask for by no more, per sentence", low=SMALLEST
)
SLACKS = Setting(
    "slacks",
    "one",
    "a constraint of every pass is the sum over all sentences; or every sentence has constraints of its own",
    choices=("one", "each"),
)

SOLVERS = ("pairwise", "frank-wolfe", *BY_SUMS)
SOLVER = Setting(
    "solver",
    SOLVERS[0],
    "Frank-Wolfe sentence by sentence, with the outputs that were found remembered; the same without, which needs less memory and more "
    "passes; or, with sums over all outputs, exponentiated gradient or the extragradient method",
    choices=SOLVERS,
    needs=dict.fromkeys(BY_SUMS, ("expected features",)),
)


REFUSES = {"seeds": "its objective has one minimum, which every seed comes close to"}


def never_goes_on(recipe: str) -> UnsupportedError:
    """Why training does not continue from a model."""
    return UnsupportedError(
        f"The recipe {recipe!r} does not go on from a model: it needs the share that every sentence has in the weights, which "
        "models do not keep.",
        remedy="Train anew (warm_start=False), or use another recipe, such as mira.",
    )
