"""Dependency trees that are scored arc by arc: what a model asks of them, and its part of a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, most_relations
from riata.data.types import Corpus, Ids
from riata.errors import ModelFileError
from riata.features.arcs import ArcFeatures, has_pairs, parse
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
from riata.models.outputs import BestKept, Refusal, Values, Weights, WeightsKind, of_kind
from riata.models.tree_outputs import TreeOutputs

if TYPE_CHECKING:
    from riata.inference.rules.rules import Rules


@dataclass(frozen=True, eq=False)
class ArcOutputs(TreeOutputs):
    """The relations, most frequent first."""

    relations: tuple[str, ...]

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, self.precisions)
        made: Weights = kind(of_kind(features, ArcFeatures).native, len(self.relations))  # type: ignore[call-arg]
        return made

    def exact_refusal(self, features: Features) -> Refusal | None:
        return None

    def exact_is_cheap(self, features: Features, longest: int) -> bool:
        return True

    branches = True

    def best_kept(self, model: Model, alone: Corpus, rules: Rules, seconds: float) -> BestKept:
        from riata.models.constrained_trees import TreeSearch

        return TreeSearch(model, alone, rules, seconds).run()

    def probabilities(self, model: Model, instances: Instances, temperature: float) -> tuple[Values, Values]:
        """log Z alone: a token may have as many heads as the sentence has tokens, so there is no table of probabilities."""
        none = np.zeros(int(instances.starts()[-1]), np.int32)
        return self._summed(model, instances, none, temperature)[0], np.empty((0, len(self.relations)))

    def summed_confidences(
        self, model: Model, instances: Instances, codes: Ids, temperatures: Sequence[float], *, chunks: bool
    ) -> Values | None:
        """The probability of every head and, whatever the head, of every relation, over all trees."""
        return np.stack([self._summed(model, instances, codes, t)[1].reshape(self.columns, -1) for t in temperatures])

    def _summed(self, model: Model, instances: Instances, codes: Ids, temperature: float) -> Any:
        weights: Any = model.weights
        return weights.tree_probabilities(model.features.index, instances, codes, temperature)

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
        for g, group in enumerate(features.arcs.groups):
            if has_pairs(group):
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
        for g, group in enumerate(features.arcs.groups):
            if has_pairs(group):
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
