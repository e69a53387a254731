"""Estimators to model files and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from riata import registry
from riata.errors import ModelFileError, RiataError
from riata.features.attributes import Attribute, builtin
from riata.models import container
from riata.models.chain import from_parts
from riata.tasks.base import SequenceEstimator

FORMAT = "riata model"


def save_model(estimator: SequenceEstimator, path: str | Path) -> None:
    container.write(path, to_bytes(estimator))


def load_model(path: str | Path, using: Iterable[Callable[..., Any]] = ()) -> SequenceEstimator:
    """A trained estimator from its file.

    Nothing in the file is executed or imported. A model that uses functions of yours (attributes) names them, and
    `using` must supply every one: `load_model("m.riata", using=[vowels])`.
    """
    try:
        return _estimator(*container.read(path), using)
    except RiataError as error:
        raise _as_model_error(error).located(path) from None


def from_bytes(content: bytes, using: Iterable[Callable[..., Any]] = ()) -> SequenceEstimator:
    try:
        return _estimator(*container.unpack(memoryview(content)), using)
    except RiataError as error:
        raise _as_model_error(error) from None


def to_bytes(estimator: SequenceEstimator) -> bytes:
    model = estimator._check_fitted()
    header, arrays = model.to_parts()
    names = {name for name, _ in model.features.program.attributes} - set(builtin())
    header |= {
        "format": FORMAT,
        "task": estimator.task_name,
        "params": _storable(estimator),
        "functions": {name: qualified_name(model.features.functions[name]) for name in sorted(names)},
        "inputs": list(estimator.inputs_),
        "output": estimator.output_,
        "encoding": estimator.encoding_,
        "training": {
            **estimator.facts_,
            "best_epoch": estimator.best_epoch_,
            "best_score": estimator.best_score_,
            "seconds": round(estimator.seconds_, 3),
        },
    }
    return container.pack(header, arrays)


def qualified_name(function: Callable[..., Any]) -> str:
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__qualname__)}"


def _storable(estimator: SequenceEstimator) -> dict[str, Any]:
    """The parameters that are plain values; corpora, templates and functions are stored as what they led to."""
    params = {}
    for name, value in estimator.get_params().items():
        if name in ("attributes", "template") or (name == "dev" and not isinstance(value, (int, float))):
            continue
        params[name] = dict(value) if isinstance(value, Mapping) else value
    return params


def _estimator(
    header: dict[str, Any], arrays: container.Arrays, using: Iterable[Callable[..., Any]]
) -> SequenceEstimator:
    if header.get("format") != FORMAT or header.get("task") not in registry.names("task"):
        raise ModelFileError(
            "the file holds no model that this Riata knows.", remedy="Update Riata, or train the model again."
        )
    functions = _functions(header, using)
    params, training = _mapping(header, "params"), _mapping(header, "training")
    cls: type[SequenceEstimator] = registry.get("task", header["task"]).estimator
    unknown = set(params) - set(cls._param_names())
    if unknown:
        raise ModelFileError(f"the model's parameter {min(unknown)!r} is unknown")
    estimator = cls(**{**params, "attributes": functions or None})
    estimator.model_ = from_parts(header, arrays, {**builtin(), **functions})
    estimator.classes_ = list(estimator.model_.labels)
    estimator.inputs_ = _inputs(header, estimator)
    estimator.output_ = _output(header)
    estimator.encoding_ = _encoding(header)
    _restore_training(estimator, training)
    return estimator


def _restore_training(estimator: SequenceEstimator, training: dict[str, Any]) -> None:
    estimator.best_epoch_ = training.pop("best_epoch", 0)
    estimator.best_score_ = training.pop("best_score", None)
    estimator.seconds_ = training.pop("seconds", 0.0)
    numbers = (estimator.best_epoch_, estimator.seconds_, training.get("sentences"), training.get("tokens"))
    counts = training.get("label_counts")
    if (
        not all(isinstance(n, (int, float)) for n in numbers)
        or not isinstance(counts, dict)
        or not isinstance(training.get("name"), str)
    ):
        raise ModelFileError("the model's facts about its training are inconsistent")
    if estimator.best_score_ is not None and not isinstance(estimator.best_score_, float):
        raise ModelFileError("the model's facts about its training are inconsistent")
    if not all(isinstance(count, int) for count in counts.values()):
        raise ModelFileError("the model's facts about its training are inconsistent")
    estimator.facts_ = training
    estimator.history_ = []


def _functions(header: dict[str, Any], using: Iterable[Callable[..., Any]]) -> dict[str, Attribute]:
    wanted = _mapping(header, "functions")
    supplied = {qualified_name(function): function for function in using}
    missing = sorted({str(qualified) for qualified in wanted.values()} - set(supplied))
    if missing:
        raise ModelFileError(
            f"the model uses functions that are not stored in it: {', '.join(missing)}.",
            remedy=f"Supply them: riata.load_model(path, using=[{', '.join(name.rpartition('.')[2] for name in missing)}]).",
        )
    if set(wanted) & set(builtin()):
        raise ModelFileError("the model's functions are inconsistent")
    return {name: supplied[qualified] for name, qualified in wanted.items()}


def _mapping(header: dict[str, Any], key: str) -> dict[str, Any]:
    value = header.get(key)
    if not isinstance(value, dict):
        raise ModelFileError(f"the model's {key} are missing or inconsistent")
    return value


def _inputs(header: dict[str, Any], estimator: SequenceEstimator) -> tuple[int, ...]:
    inputs = header.get("inputs")
    if not isinstance(inputs, list) or not all(isinstance(i, int) and 0 <= i < 1 << 31 for i in inputs):
        raise ModelFileError("the model's inputs are missing or inconsistent")
    program = estimator._check_fitted().features.program
    reads = [column for _, column in program.attributes] + [read.column for read in program.numbers]
    if any(column >= len(inputs) for column in reads):
        raise ModelFileError("the model's templates read columns that it does not have")
    return tuple(inputs)


def _output(header: dict[str, Any]) -> int:
    output = header.get("output")
    if not isinstance(output, int) or not -1 <= output < 1 << 31:
        raise ModelFileError("the model's output is missing or inconsistent")
    return output


def _encoding(header: dict[str, Any]) -> str | None:
    name = header.get("encoding")
    if name is not None and name not in registry.names("encoding"):
        raise ModelFileError(f"the model's encoding {name!r} is unknown")
    return name


def _as_model_error(error: RiataError) -> ModelFileError:
    """Whatever went wrong inside a model file is a fault of the file."""
    if isinstance(error, ModelFileError):
        return error
    return ModelFileError(f"the model is inconsistent: {error.message}", remedy="Train the model again.")
