"""Settings of learners that look at all sentences in every step."""

from __future__ import annotations

from riata.settings import Setting

AUTO = "auto"
NEIGHBOURS = "transitions"  # all pairs of neighbouring labels

# Values of c2 that are tried by c2=auto, in this order: each value starts from the weights of the value before. Exponential losses add up
# 1 / P of sentences or labels, far more than a logarithm of P, so that they need stronger priors.
PRIORS = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
PRIORS_OF_EXP = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
IF_LBFGS = {"optimiser": ("lbfgs",)}  # settings that stochastic gradient descent does not have

SCORE_STEPS = Setting(
    "score_steps",
    0,
    "stop when the scores of so many steps lie within score_tolerance: on development data or, without them, on the training data",
    low=0,
    high=1000,
)

GAIN_TOLERANCE = Setting(
    "gain_tolerance",
    1e-5,
    "L-BFGS stops when gain_steps steps gain less than this part of the objective; 5e-4 where c2=auto has chosen the prior",
    low=0.0,
    only=IF_LBFGS,
)
SETTINGS = (  # settings of all optimisers
    Setting(
        "c1",
        0.0,
        "the weight of the sum of absolute weights (L1), which makes most weights zero",
        low=0.0,
        only=IF_LBFGS,
    ),
    Setting(
        "c2",
        AUTO,
        "the weight of the sum of squared weights (L2), 1 / (2 variance) of a Gaussian prior; auto: chosen on held-out sentences",
        low=0.0,
        words=(AUTO,),
    ),
    Setting(
        "pairs",
        "seen",
        "features have weights with the labels seen with them, or with all; transitions: only pairs of neighbouring labels with all",
        choices=("seen", NEIGHBOURS, "all"),
        needs={NEIGHBOURS: ("label pairs",)},
    ),
    Setting("memory", 6, "steps whose curvature L-BFGS remembers", low=1, high=1000, only=IF_LBFGS),
    Setting(
        "gradient_tolerance",
        1e-5,
        "L-BFGS stops at a gradient this small beside the weights",
        low=0.0,
        only=IF_LBFGS,
    ),
    GAIN_TOLERANCE,
    Setting("gain_steps", 10, "steps over which gain_tolerance looks at the gain", low=1, high=1000, only=IF_LBFGS),
    SCORE_STEPS,
    Setting("score_tolerance", 0.02, "points (per cent) of the score by which these steps may differ", low=0.0),
    Setting(
        "precision",
        "single",
        "arithmetic of scores and posteriors; learning goes on in double where single is not enough",
        choices=("single", "double"),
    ),
)
OPTIMISER = Setting(
    "optimiser",
    "lbfgs",
    "L-BFGS (OWL-QN with c1), or averaged stochastic gradient descent",
    choices=("lbfgs", "sgd"),
    needs={"sgd": ("stochastic steps",)},
)
CONSTRAIN = Setting(
    "constrain", False, "while learning, sum over legal label sequences only", needs={True: ("legal sums",)}
)

REFUSES = {
    "seeds": "its objective has one minimum, which every seed comes to, or nearly so with optimiser=sgd",
    "class_weight": "its loss weighs sentences, by sample_weight, and no single labels",
}
