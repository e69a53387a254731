"""Rerankers to model files and back: the weights of the choice and, beside them, the base as a model file of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from riata.errors import ModelFileError
from riata.estimators import model_file
from riata.inference.chain import K
from riata.models import container
from riata.models.container import FORMAT, Arrays, qualified_name
from riata.problems import structure_file
from riata.reranking.features import SETS
from riata.reranking.ranked import Ranker, check_base, ranked
from riata.reranking.ranking import Ranking

BASE, RANKER = "base", "ranker"  # files inside the file
NOT_STORED = ("base", "features", "measure", "threads")  # the features are stored as those of the model


def to_bytes(reranker: Any) -> bytes:
    reranker._check_trained()
    features = reranker.ranker_.features
    header = {
        "format": FORMAT,
        "task": reranker.task_name,
        "params": reranker.stored_params(),
        "functions": {str(at): qualified_name(one) for at, one in enumerate(features) if callable(one)},
        "features": [None if callable(one) else one for one in features],
        "measure": reranker.measure if isinstance(reranker.measure, str) else None,
        "training": reranker.facts_,
    }
    if reranker.ranked_ is not None and reranker.ranked_.calibration_:
        header["calibration"] = [each.to_dict() for each in reranker.ranked_.calibration_]
    arrays = {RANKER: _as_array(structure_file.to_bytes(reranker.ranker_.predictor))}
    if reranker.base_ is not None:
        arrays[BASE] = _as_array(model_file.to_bytes(reranker.base_))
    return container.pack(header, arrays)


def _as_array(content: bytes) -> Any:
    return np.frombuffer(content, np.uint8)


def set_fitted(made: Any, header: dict[str, Any], arrays: Arrays, using: Iterable[Any]) -> None:
    """Sets what a reranker has learnt, from its file. made: of the stored parameters. Raises a RiataError on anything inconsistent."""
    names, facts = header.get("features"), header.get("training")
    functions = model_file.functions_in(header, using)
    own = [str(at) for at, name in enumerate(names) if name is None] if isinstance(names, list) else None
    if own is None or set(own) != set(functions) or not all(name is None or name in SETS for name in names or ()):
        raise ModelFileError("the reranker's features are inconsistent")
    if not isinstance(facts, dict) or not all(
        type(facts.get(name)) is int for name in ("lists", "candidates", "tokens")
    ):
        raise ModelFileError("the reranker's facts about its training are inconsistent")
    if (
        RANKER not in arrays
        or not {*arrays} <= {RANKER, BASE}
        or any(each.dtype != np.uint8 for each in arrays.values())
    ):
        raise ModelFileError("the reranker's parts are missing or inconsistent")
    predictor = structure_file.from_bytes(arrays[RANKER].data, Ranking())
    features = tuple(functions[str(at)] if name is None else name for at, name in enumerate(names or ()))
    made.ranker_, made.facts_, made.base_, made.ranked_ = (
        Ranker(predictor, features, int(K.parse(made.nbest))),
        facts,
        None,
        None,
    )
    if BASE in arrays:
        base = model_file.from_bytes(arrays[BASE].data, using)
        check_base(base)
        made.base = made.base_ = base
        made.ranked_ = ranked(base, made.ranker_, made)
        made.ranked_.calibration_ = model_file.calibration_in(header, base.outputs)
