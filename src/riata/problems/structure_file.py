"""Predictors of structures in Python to header and arrays of a model file, and back. The structure itself is code, and stays outside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riata import registry
from riata.errors import ModelFileError, RiataError
from riata.models import container
from riata.models.container import FORMAT, STRUCTURE, Arrays, qualified_name
from riata.problems.model_file import supplied
from riata.problems.structure import Structure, kind_of
from riata.problems.structure_options import options_of
from riata.problems.structure_predictor import StructurePredictor

NOT_STORED = ("structure", "dev", "threads")  # the model does not depend on threads
COUNTS = ("examples", "parts", "epochs")  # facts about training


def save(predictor: StructurePredictor, path: str | Path) -> None:
    container.write(path, to_bytes(predictor))


def to_bytes(predictor: StructurePredictor) -> bytes:
    """Only weights that are not zero, and only the features that they are of."""
    header, arrays = predictor._check_fitted().to_parts()
    params = {name: value for name, value in predictor.get_params(deep=False).items() if name not in NOT_STORED}
    values = options_of(predictor, None).settings
    header |= {
        "format": FORMAT,
        "task": STRUCTURE,
        "functions": {STRUCTURE: qualified_name(predictor.structure)},
        "params": {**params, "settings": {name: values[name] for name in predictor.settings or {}}},
        "training": predictor.facts_,
        "best_score": predictor.best_score_,
        "temperature": predictor.temperature_,
    }
    return container.pack(header, arrays)


def from_bytes(content: bytes | memoryview, structure: Structure) -> StructurePredictor:
    return from_parts(*container.unpack(memoryview(content)), structure)


def from_parts(header: Mapping[str, Any], arrays: Arrays, given: Any) -> StructurePredictor:
    """The inverse of to_bytes. given: the structure, or its class. Raises a RiataError on anything inconsistent."""
    structure: Structure = supplied(given, Structure)
    kind, params, facts = kind_of(structure).structure, header.get("params"), header.get("training")
    if header.get("structure") != kind:
        raise ModelFileError(
            f"the model is of a structure of the kind {header.get('structure')!r:.40}; the one supplied is {kind!r}"
        )
    if not isinstance(params, dict) or set(params) != set(StructurePredictor._param_names()) - set(NOT_STORED):
        raise ModelFileError("the model's params are missing or inconsistent")
    if not isinstance(facts, dict) or not all(
        type(facts.get(name)) is int and 0 <= facts[name] < 1 << 63 for name in COUNTS
    ):
        raise ModelFileError("the model's facts about its training are inconsistent")
    if facts.get("recipe") not in registry.names("recipe"):
        raise ModelFileError("the model's recipe is not known")
    numbers = header.get("best_score"), header.get("temperature")
    if not all(number is None or (isinstance(number, (int, float)) and math.isfinite(number)) for number in numbers):
        raise ModelFileError("the model's facts about its training are inconsistent")
    if numbers[1] is not None and not numbers[1] > 0:
        raise ModelFileError("the model's temperature is not above 0")
    try:
        predictor = StructurePredictor(structure, **{**params, "settings": params["settings"] or None})
        options_of(predictor, None)
    except (RiataError, TypeError) as error:
        raise ModelFileError(f"the model's params are inconsistent: {error}") from None
    predictor.model_ = registry.of_structure("outputs", kind).from_parts(header, arrays, {})
    predictor.facts_, predictor.history_ = facts, []
    predictor.best_epoch_, predictor.best_score_, predictor.temperature_ = facts["epochs"], *numbers
    return predictor
