"""CRFsuite's training algorithms and their parameters, as recipes and settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from riata.errors import SettingError, UnknownNameError, UnsupportedError

UNLIMITED = 2**31 - 1  # steps, as CRFsuite writes it
MOST_STEPS = 100_000  # that L-BFGS takes where they are unlimited; it stops long before


class Parameter(NamedTuple):
    default: bool | int | float | str
    help: str
    setting: str = ""  # of the recipe; empty: it becomes something else, or has no effect


_ITERATIONS = "The maximum number of iterations."
_FEATURES = {
    "feature.minfreq": Parameter(0.0, "The minimum frequency of features."),
    "feature.possible_states": Parameter(
        False, "Attributes have weights with all labels, also with those not seen with them."
    ),
    "feature.possible_transitions": Parameter(
        False, "All pairs of labels have weights, also those that were not seen."
    ),
}
_L2 = Parameter(1.0, "Coefficient for L2 regularization.", "c2")
_EPSILON = Parameter(0.0, "The share of wrong labels at which training stops.")
ALGORITHMS: dict[str, dict[str, Parameter]] = {
    "lbfgs": {
        **_FEATURES,
        "c1": Parameter(0.0, "Coefficient for L1 regularization.", "c1"),
        "c2": _L2,
        "max_iterations": Parameter(UNLIMITED, _ITERATIONS),
        "num_memories": Parameter(6, "Steps whose curvature L-BFGS remembers.", "memory"),
        "epsilon": Parameter(1e-5, "L-BFGS stops at a gradient this small beside the weights.", "gradient_tolerance"),
        "period": Parameter(10, "The number of steps over which the gain is measured.", "gain_steps"),
        "delta": Parameter(1e-5, "L-BFGS stops when these steps gain less than this part.", "gain_tolerance"),
        "linesearch": Parameter("MoreThuente", "The line search, which here is always Riata's own."),
        "max_linesearch": Parameter(20, "Trials of the line search, which here is Riata's own."),
    },
    "l2sgd": {
        **_FEATURES,
        "c2": _L2,
        "max_iterations": Parameter(1000, _ITERATIONS),
        "period": Parameter(10, "The number of steps over which the gain is measured, which here is fixed."),
        "delta": Parameter(1e-6, "The gain below which training stops, which here is fixed."),
        "calibration.eta": Parameter(0.1, "The first learning rate, which Riata finds by itself."),
        "calibration.rate": Parameter(2.0, "The factor between learning rates, which Riata finds by itself."),
        "calibration.samples": Parameter(1000.0, "The sentences that learning rates are tried on, which here are 1000."),
        "calibration.candidates": Parameter(10, "The number of learning rates, which here is fixed."),
        "calibration.max_trials": Parameter(20, "The number of trials, which here is fixed."),
    },
    "ap": {**_FEATURES, "max_iterations": Parameter(100, _ITERATIONS), "epsilon": _EPSILON},
    "pa": {
        **_FEATURES,
        "type": Parameter(1, "The strategy: 0 without slack variables, 1 with them; 2 is not there."),
        "c": Parameter(1.0, "The largest step.", "C"),
        "error_sensitive": Parameter(True, "Wrong labels count one by one; false: wrong sentences count."),
        "averaging": Parameter(True, "Average the weights over all updates.", "average"),
        "max_iterations": Parameter(100, _ITERATIONS),
        "epsilon": _EPSILON,
    },
}  # fmt: skip
_RECIPES = {"lbfgs": "crf", "l2sgd": "crf", "ap": "perceptron", "pa": "mira"}
_LONG_NAMES = {"averaged-perceptron": "ap", "passive-aggressive": "pa"}
_ELSEWHERE = frozenset(  # parameters without a setting of the same meaning that have an effect nevertheless
    {
        "feature.minfreq",
        "feature.possible_states",
        "feature.possible_transitions",
        "max_iterations",
        "type",
        "error_sensitive",
    }
)


def algorithm_named(name: str) -> str:
    """The short name of an algorithm, or the reason why there is none."""
    short = _LONG_NAMES.get(name.lower(), name.lower())
    if short == "arow":
        raise UnsupportedError(
            "Riata has no AROW.",
            remedy="Use algorithm='pa' (the recipe mira), which learns sentence by sentence with a margin, too.",
        )
    if short not in ALGORITHMS:
        raise UnknownNameError.of("algorithm", name, ALGORITHMS)
    return short


def value_of(algorithm: str, name: str, value: Any) -> Any:
    """The value of a parameter, from itself or from text."""
    known = ALGORITHMS[algorithm]
    if name not in known:
        raise UnknownNameError.of(f"parameter of {algorithm}", name, known)
    kind = type(known[name].default)
    try:
        return bool(int(value)) if kind is bool else kind(value)
    except (TypeError, ValueError):
        raise SettingError(f"{name} is {value!r:.60}; expected a value such as {known[name].default!r}.") from None


def parameters_of(algorithm: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parameters of an estimator, and the names of values that have no effect. params: those of the algorithm that were set."""
    known = ALGORITHMS[algorithm]
    found = {name: params.get(name, parameter.default) for name, parameter in known.items()}
    settings = {parameter.setting: found[name] for name, parameter in known.items() if parameter.setting}
    if algorithm in ("lbfgs", "l2sgd"):
        settings["pairs"] = _pairs(found)
    if algorithm == "l2sgd":
        settings["optimiser"] = "sgd"
    if algorithm == "pa":
        settings |= _passive_aggressive(found)
    idle = [name for name, value in found.items() if value != known[name].default and not known[name].setting]
    made = {
        "recipe": _RECIPES[algorithm],
        "settings": settings,
        "epochs": min(found["max_iterations"] or UNLIMITED, MOST_STEPS) if algorithm == "lbfgs" else max(found["max_iterations"], 1),
        "cutoff": max(1, math.ceil(found["feature.minfreq"])),
    }  # fmt: skip
    return made, [name for name in idle if name not in _ELSEWHERE]


def _pairs(found: Mapping[str, Any]) -> str:
    states, transitions = found["feature.possible_states"], found["feature.possible_transitions"]
    if states and not transitions:
        raise UnsupportedError(
            "feature.possible_states without feature.possible_transitions is not there.",
            remedy="Set both (all_possible_states and all_possible_transitions of sklearn_crfsuite), or transitions alone.",
        )
    return "all" if states else "transitions" if transitions else "seen"


def _passive_aggressive(found: Mapping[str, Any]) -> dict[str, Any]:
    if found["type"] not in (0, 1):
        raise UnsupportedError(
            f"type is {found['type']}: Riata has passive-aggressive steps without a limit (0) and with one (1).",
            remedy="Use type=1 (pa_type of sklearn_crfsuite) with a smaller c.",
        )
    loss = {} if found["error_sensitive"] else {"loss": "zero-one"}
    return {**loss, "C": found["c"] if found["type"] else 1e9}
