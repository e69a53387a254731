"""Predictors of problems in Python to header and arrays of a model file, and back. The problem itself is code, and stays outside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import ProblemModel
from riata.errors import ModelFileError, UnsupportedError
from riata.models import container
from riata.models.container import FORMAT, PROBLEM, Arrays, qualified_name
from riata.models.parts import narrow, read_alphabet, read_array, store_texts
from riata.problems.predictor import Predictor
from riata.problems.problem import Problem

DEEPEST = 50  # tuples within tuples
LARGEST = 4096  # bits of a whole number
LARGEST_SCORE = 1e300  # in per cent; a loss may be any finite number
FACTS = {"examples", "unreachable", "epochs"}
LATER = {"deepest", "skipped", "approximate"}  # facts that older files, or other recipes, do not have
NOT_STORED = ("problem", "warm_start")
NEWER = ("dev", "patience", "refit")  # parameters that older files do not have


def save(predictor: Predictor, path: str | Path) -> None:
    container.write(path, to_bytes(predictor))


def to_bytes(predictor: Predictor) -> bytes:
    header, arrays = to_parts(predictor)
    header |= {"format": FORMAT, "task": PROBLEM, "functions": {PROBLEM: qualified_name(predictor.problem)}}
    return container.pack(header, arrays)


def to_parts(predictor: Predictor) -> tuple[dict[str, Any], Arrays]:
    """Only weights that are not zero, and only the names and actions that they are of."""
    settings = predictor._checked(learning=False)
    names, actions, actions_of, weights = predictor._check_fitted().parts()
    kept = [i for i, weight in enumerate(weights) if weight != 0]
    name_ids = {name: i for i, name in enumerate(dict.fromkeys(names[i] for i in kept))}
    action_ids = {a: i for i, a in enumerate(dict.fromkeys(actions_of[i] for i in kept if actions_of[i] >= 0))}
    header = {
        "params": {**_storable(predictor), "settings": {name: settings[name] for name in predictor.settings or {}}},
        "actions": [_encoded(actions[a]) for a in action_ids],
        "training": dict(predictor.facts_),
        "best_score": getattr(predictor, "best_score_", None),
    }
    arrays: Arrays = {}
    store_texts(arrays, "names", list(name_ids))
    arrays["weights/names"] = narrow(np.array([name_ids[names[i]] for i in kept], np.int64))
    # 0: the name stands alone.
    arrays["weights/actions"] = narrow(np.array([action_ids.get(actions_of[i], -1) + 1 for i in kept], np.int64))
    arrays["weights/values"] = np.array([weights[i] for i in kept], np.float64)
    return header, arrays


def from_parts(header: Mapping[str, Any], arrays: Arrays, given: Any) -> Predictor:
    """The inverse of to_parts. given: the problem, or its class. Raises a RiataError on anything inconsistent, however it came about."""
    problem: Problem = supplied(given, Problem)
    params, score = header.get("params"), header.get("best_score")
    known = set(Predictor._param_names()) - set(NOT_STORED)
    if not isinstance(params, dict) or not known - set(NEWER) <= set(params) <= known:
        raise ModelFileError("the model's params are missing or inconsistent")
    if not isinstance(params.get("dev", 0.1), (int, float, type(None))):
        raise ModelFileError("the model's parameter 'dev' is inconsistent")
    if not (score is None or (type(score) in (int, float) and abs(score) <= LARGEST_SCORE)):
        raise ModelFileError("the model's facts about its training are inconsistent")
    if not isinstance(params["settings"], dict):
        raise ModelFileError("the model's settings are inconsistent")
    predictor = Predictor(problem, **{**params, "settings": params["settings"] or None})
    predictor._checked(learning=False)
    predictor.model_ = _model(header, arrays)
    predictor.facts_ = _facts(header)
    predictor.best_epoch_ = predictor.facts_["epochs"]
    predictor.best_score_ = score
    predictor.history_ = []
    predictor.stats_ = {}
    return predictor


def _storable(predictor: Predictor) -> dict[str, Any]:
    """The parameters that are plain values; development data are left out."""
    params = {name: value for name, value in predictor.get_params(deep=False).items() if name not in NOT_STORED}
    number = isinstance(predictor.dev, (int, float))
    return {**params, "dev": predictor.dev if number else None}


def supplied(given: Any, kind: type[Any]) -> Any:
    """The object itself, or one made from its class. kind: riata.Problem or riata.Structure."""
    if isinstance(given, kind):
        return given
    what = kind.__name__.lower()
    if not (isinstance(given, type) and issubclass(given, kind)):
        raise UnsupportedError(
            f"{given!r} has the name of the model's {what}, but is none.", remedy=f"Supply the {what}."
        )
    try:
        return given()
    except TypeError as error:
        raise UnsupportedError(
            f"the class {given.__name__} cannot be called without arguments: {error}.",
            remedy=f"Supply an object: using=[{given.__name__}(...)].",
        ) from None


def _model(header: Mapping[str, Any], arrays: Arrays) -> ProblemModel:
    names = read_alphabet(arrays, "names").texts()
    actions = _actions(header)
    name_of, action_of = (read_array(arrays, f"weights/{part}").astype(np.int64) for part in ("names", "actions"))
    values = read_array(arrays, "weights/values", real=True).astype(np.float64)
    if not (
        len(name_of) == len(action_of) == len(values)
        and _within(name_of, len(names))
        and _within(action_of, len(actions) + 1)
        and np.isfinite(values).all()
        and values.all()
        and len(np.unique(name_of * (len(actions) + 1) + action_of)) == len(values)
    ):
        raise ModelFileError("the model's weights are inconsistent")
    return ProblemModel([names[i] for i in name_of], actions, (action_of - 1).tolist(), values.tolist())


def _within(ids: NDArray[np.int64], size: int) -> bool:
    return bool(((ids >= 0) & (ids < size)).all())


def _actions(header: Mapping[str, Any]) -> list[Any]:
    stored = header.get("actions")
    if not isinstance(stored, list):
        raise ModelFileError("the model's actions are missing or inconsistent")
    actions = [_decoded(action) for action in stored]
    if len(set(actions)) != len(actions):
        raise ModelFileError("the model's actions are not all different")
    return actions


def _facts(header: Mapping[str, Any]) -> dict[str, int]:
    facts = header.get("training")
    whole = isinstance(facts, dict) and all(type(v) is int and 0 <= v < 1 << 63 for v in facts.values())
    if not isinstance(facts, dict) or not whole or not FACTS <= set(facts) <= FACTS | LATER:
        raise ModelFileError("the model's facts about its training are inconsistent")
    return facts


def _encoded(action: Any, depth: int = 0) -> Any:
    """An action as JSON: tuples as lists, infinity as {"float": "inf"}."""
    kind = type(action)
    if action is None or kind is bool or (kind is int and action.bit_length() <= LARGEST):
        return action
    if kind is str and _is_text(action):
        return action
    if kind is float and not math.isnan(action):
        return action if math.isfinite(action) else {"float": str(action)}
    if kind is tuple and depth < DEEPEST:
        return [_encoded(item, depth + 1) for item in action]
    raise UnsupportedError(
        f"the action {action!r:.100} is {_reason(action)}; a model file holds actions that are texts, numbers, True, False, None, "
        "or tuples of these.",
        remedy="Let actions(x, s) give such values, or use features(x, s, a) alone: then no action is stored.",
    )


def _reason(action: Any) -> str:
    if type(action) is float:
        return "not a number, so it does not equal itself"
    if type(action) is int:
        return f"a number of more than {LARGEST} bits"
    if type(action) is str:
        return "no text that can be written as UTF-8"
    if type(action) is tuple:
        return f"a tuple more than {DEEPEST} deep"
    return f"of type {type(action).__module__}.{type(action).__qualname__}".replace("builtins.", "")


def _decoded(stored: Any, depth: int = 0) -> Any:
    if isinstance(stored, list) and depth < DEEPEST:
        return tuple(_decoded(item, depth + 1) for item in stored)
    if isinstance(stored, dict) and stored in ({"float": "inf"}, {"float": "-inf"}):
        return float(stored["float"])
    unusual = isinstance(stored, float) and not math.isfinite(stored)
    if isinstance(stored, (list, dict)) or unusual or (isinstance(stored, int) and stored.bit_length() > LARGEST):
        raise ModelFileError("the model's actions are inconsistent")
    return stored


def _is_text(action: str) -> bool:
    try:
        action.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
