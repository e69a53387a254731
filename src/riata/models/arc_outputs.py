"""Dependency trees that are scored arc by arc: what a model asks of them, and its part of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import most_relations
from riata.errors import ModelFileError
from riata.features.arcs import ArcFeatures, parse
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.models.arrays import narrow, read_strings
from riata.models.container import Arrays
from riata.models.feature_parts import (
    feature_header,
    read_features,
    read_ids,
    read_templates,
    read_weights,
    store_features,
    store_weights,
)
from riata.models.model import Model
from riata.models.outputs import Outputs, Refusal, Weights, WeightsKind, of_kind


@dataclass(frozen=True, eq=False)
class ArcOutputs(Outputs):
    """The relations, most frequent first. A code of a token is head x number of relations + relation, in the core and here."""

    relations: tuple[str, ...]

    columns = 2

    @property
    def labels(self) -> tuple[str, ...]:
        return self.relations

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, self.precisions)
        made: Weights = kind(of_kind(features, ArcFeatures).native, len(self.relations))  # type: ignore[call-arg]
        return made

    def exact_refusal(self, features: Features) -> Refusal | None:
        return None

    def exact_is_cheap(self, features: Features, longest: int) -> bool:
        return True

    def memory(self, features: Features) -> tuple[str, int]:
        return f"{len(self.relations):,} relations and these features", 0  # blocks enter while they are learnt

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without blocks of weights that are zero."""
        features = model.features_as(ArcFeatures)
        header = {"structure": self.structure, "relations": list(self.relations), **feature_header(features)}
        arrays: Arrays = {}
        store_features(features, arrays)
        weights: Any = model.weights
        groups, left, right, starts = weights.blocks()
        flat = weights.flat()
        ends = np.append(starts[1:], len(flat))
        sizes = ends - starts
        kept = _has_weights(flat, starts)
        arrays["blocks/groups"] = narrow(groups[kept])
        arrays["blocks/left"], arrays["blocks/right"] = narrow(left[kept] + 1), narrow(right[kept] + 1)  # 0: none
        for g, (_, _, between, _, _) in enumerate(features.arcs.groups):
            if between >= 0:
                heads, children = weights.pairs(g)
                arrays[f"pairs/{g}/heads"], arrays[f"pairs/{g}/children"] = narrow(heads + 1), narrow(children + 1)
        store_weights(flat[np.repeat(kept, sizes)], arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        relations = read_strings(header, "relations")
        if not relations or len(set(relations)) < len(relations) or len(relations) > most_relations:
            raise ModelFileError("the model's relations are missing or inconsistent")
        outputs = cls(tuple(relations))
        templates, lists = read_templates(header, arrays, parse, functions)
        features = ArcFeatures(templates, functions, lists)
        read_features(features, arrays)
        weights: Any = outputs.new_weights(features, cls.precisions[0])
        for g, (_, _, between, _, _) in enumerate(features.arcs.groups):
            if between >= 0:
                weights.set_pairs(
                    features.index, g, *(read_ids(arrays, f"pairs/{g}/{side}", -1) for side in ("heads", "children"))
                )
        blocks = (
            read_ids(arrays, "blocks/groups"),
            *(read_ids(arrays, f"blocks/{side}", -1) for side in ("left", "right")),
        )
        weights.set_blocks(features.index, *blocks)
        weights.set_flat(read_weights(arrays, weights.size))
        return Model(features, weights, outputs)


def _has_weights(flat: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """[blocks] whether some weight of a block is not zero."""
    if not len(starts):
        return np.zeros(0, bool)
    found: NDArray[np.bool_] = np.logical_or.reduceat(flat != 0, starts)
    return found
