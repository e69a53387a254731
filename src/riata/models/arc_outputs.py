"""Dependency trees that are scored arc by arc: what a model asks of them, and its part of a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, most_relations
from riata.data.types import Corpus, Ids, KnownLabels
from riata.errors import ModelFileError, RiataError
from riata.features.arcs import ArcFeatures, Group, block_sizes, has_pairs, parse
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.models.container import Arrays
from riata.models.model import Model, of_kind
from riata.models.outputs import BestKept, Refusal, Values, Weights, WeightsKind
from riata.models.parts import (
    feature_header,
    narrow,
    read_array,
    read_features,
    read_ids,
    read_strings,
    read_templates,
    read_weights,
    store_features,
    store_weights,
)
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
    scored_by_parts = True

    def best_kept(self, model: Model, alone: Corpus, rules: Rules, seconds: float) -> BestKept:
        from riata.models.branch_and_bound import TreeSearch

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

    def impossible(self, model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether the root has a relation that training has not seen there, or another head one that is the root's alone."""
        weights: Any = model.weights
        root, others = (flags.astype(bool) for flags in weights.offered_relations())
        heads, relations = np.divmod(labels, np.int32(len(self.relations)))
        never: NDArray[np.bool_] = ~np.where(heads == 0, root[relations], others[relations])
        return never

    def headed_by(self, weights: Any, known: KnownLabels) -> NDArray[np.uint8]:
        root, others = (flags.astype(bool) for flags in weights.offered_relations())
        sets = known.sets.astype(bool)
        relations, heads = sets[:, : len(self.relations)], sets[:, len(self.relations) :]
        by_root = (relations & root).any(axis=1) & heads[:, 0]
        by_others = (relations & others).any(axis=1) & heads[:, 1:].any(axis=1)
        # Of is -1: nothing is known.
        by: NDArray[np.uint8] = np.append(by_root + 2 * by_others, 3).astype(np.uint8)[known.of]
        return by

    def memory(self, features: Features) -> tuple[str, int]:
        return f"{len(self.relations):,} relations and these features", 0  # blocks enter while they are learnt

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without weights that are zero."""
        features = model.features_as(ArcFeatures)
        header = {"structure": self.structure, "relations": list(self.relations), **feature_header(features)}
        arrays: Arrays = {}
        store_features(features, arrays)
        weights: Any = model.weights
        for g, group in enumerate(features.arcs.groups):
            if has_pairs(group):
                heads, children = weights.pairs(g)
                arrays[f"pairs/{g}/heads"], arrays[f"pairs/{g}/children"] = narrow(heads + 1), narrow(children + 1)
        for name, flags in zip(("root", "others"), weights.seen_relations(), strict=True):
            arrays[f"seen/{name}"] = flags
        flat = weights.flat()
        numbers = _store_blocks(weights, flat, features.arcs.groups, arrays), _store_rows(weights, flat, arrays)
        store_weights(np.concatenate(numbers), arrays)
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
        groups, counts, relations_of = (
            read_ids(arrays, name) for name in ("blocks/groups", "rows/counts", "rows/relations")
        )
        if len(groups) and not 0 <= int(groups.min()) <= int(groups.max()) < len(features.arcs.groups):
            raise ModelFileError("the model's rows of weights are inconsistent")
        of_arcs = int(block_sizes(features.arcs.groups)[groups].sum())
        flat = read_weights(arrays, of_arcs + len(relations_of))
        rows = (read_ids(arrays, "rows/groups"), read_ids(arrays, "rows/numbers"))
        try:
            weights.see_relations(*(read_array(arrays, f"seen/{name}").astype(np.uint8) for name in ("root", "others")))
            weights.set_blocks(features.index, groups, *_sides(arrays, "blocks"), flat[:of_arcs])
            weights.set_rows(features.index, *rows, *_sides(arrays, "rows"), counts, relations_of, flat[of_arcs:])
        except RiataError as error:
            raise ModelFileError(f"the model's rows of weights are inconsistent: {error.message}") from None
        return Model(features, weights, outputs)


def _sides(arrays: Arrays, of: str) -> tuple[Ids, Ids]:
    return read_ids(arrays, f"{of}/left", -1), read_ids(arrays, f"{of}/right", -1)


def _store_sides(arrays: Arrays, of: str, left: Ids, right: Ids) -> None:
    arrays[f"{of}/left"], arrays[f"{of}/right"] = narrow(left + 1), narrow(right + 1)  # 0: none


def _store_blocks(weights: Any, flat: NDArray[Any], of: Sequence[Group], arrays: Arrays) -> NDArray[Any]:
    """Stores blocks of arcs that have a weight that is not zero, and returns their weights."""
    groups, left, right, starts = weights.blocks()
    sizes = block_sizes(of)[groups]
    first = np.cumsum(sizes) - sizes
    numbers = flat[np.repeat(starts - first, sizes) + np.arange(sizes.sum())]
    kept = np.logical_or.reduceat(numbers != 0, first) if len(first) else np.zeros(0, bool)
    arrays["blocks/groups"] = narrow(groups[kept])
    _store_sides(arrays, "blocks", left[kept], right[kept])
    found: NDArray[Any] = numbers[np.repeat(kept, sizes)]
    return found


def _store_rows(weights: Any, flat: NDArray[Any], arrays: Arrays) -> NDArray[Any]:
    """Stores rows of relations, as far as their weights are not zero, and returns these."""
    groups, numbers, left, right, counts, relations, places = weights.rows()
    values: NDArray[Any] = flat[places]
    kept = values != 0
    of_row = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    counts = np.bincount(of_row[kept], minlength=len(counts))
    rows = counts > 0
    arrays["rows/groups"], arrays["rows/numbers"] = narrow(groups[rows]), narrow(numbers[rows])
    arrays["rows/counts"], arrays["rows/relations"] = narrow(counts[rows]), narrow(relations[kept])
    _store_sides(arrays, "rows", left[rows], right[rows])
    found: NDArray[Any] = values[kept]
    return found
