"""The weights of dependency arcs and relations, with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riata.features.arcs import WAYS, ArcFeatures, has_pairs
from riata.models.arc_outputs import ArcOutputs
from riata.models.feature_parts import row_width
from riata.models.model import Model
from riata.models.outputs import Weights
from riata.models.weights_by_name import NamedWeight, WeightsByName, ngram_texts

ARC = "arc"  # in place of a relation, for weights of arcs
NO_SIBLING = "none"  # what a first child reads
DIRECTIONS = ("left", "right")  # the side on which the child is
DISTANCES = ("1", "2", "3", "4", "5-10", "11-")


class ArcNames:
    """Blocks of weights by name (native/features/arc_rows.hpp)."""

    def __init__(self, model: Model) -> None:
        self.model = model
        weights: Any = model.weights
        self.flat = weights.flat()
        self.groups, self.left, self.right, self.starts = weights.blocks()
        self.relations = model.outputs_as(ArcOutputs).relations
        self.program = model.features_as(ArcFeatures).arcs
        self.pairs_of = {g: weights.pairs(g) for g, group in enumerate(self.program.groups) if has_pairs(group)}
        self.pairs = [model.features.index.pairs(f) for f in range(len(model.features.program.families))]

    def heaviest(self, label: str, top: int) -> list[NamedWeight]:
        """The features of a relation, or of arcs, with the largest absolute weights."""
        width = row_width(len(self.relations))
        of_relation = np.array([group[3] for group in self.program.groups] or [False])[self.groups]
        sizes = np.diff(np.append(self.starts, len(self.flat)))
        chosen = np.flatnonzero(~of_relation if label == ARC else of_relation)
        steps = 1 if label == ARC else width
        first = 0 if label == ARC else self.relations.index(label)
        counts = sizes[chosen] // steps
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places = np.repeat(self.starts[chosen], counts) + within * steps + first
        values = self.flat[places]
        order = [int(i) for i in np.argsort(-np.abs(values), kind="stable")[:top] if values[i]]
        return [NamedWeight(self.name_of(int(places[i]))[0], label, float(values[i])) for i in order]

    def name_of(self, place: int) -> tuple[str, str]:
        """Feature and relation of a weight, from its place among all weights."""
        block = int(np.searchsorted(self.starts, place, side="right")) - 1
        g = int(self.groups[block])
        (head, _), (child, _), between, relation, _, (sibling, _) = self.program.groups[g]
        number, column = divmod(place - int(self.starts[block]), row_width(len(self.relations)) if relation else 1)
        template, way = self._context(g, number)
        ngrams = {
            "head": (head, template.head),
            "child": (child, template.child),
            "between": (between, template.between),
            "sibling": (sibling, template.sibling),
        }
        left, right = int(self.left[block]), int(self.right[block])
        if g in self.pairs_of:
            heads, children = self.pairs_of[g]
            ids = {"head": int(heads[left]), "child": int(children[left]), "between": right, "sibling": right}
        else:
            ids = {"head": left, "child": right}
        name = [
            f"{side}.{read}={text}"
            for side, (family, reads) in ngrams.items()
            if reads
            for read, text in self._texts(family, reads, ids[side])
        ]
        return " ".join([template.scored, *name, *([way] if way else [])]), self.relations[column] if relation else ARC

    def _texts(self, family: int, reads: Sequence[Any], ngram: int) -> list[tuple[Any, str]]:
        if ngram < 0:
            return [(reads[0], NO_SIBLING)]
        return list(zip(reads, ngram_texts(self.model, self.pairs, family, ngram), strict=True))

    def _context(self, g: int, number: int) -> tuple[Any, str]:
        """The template of a number in a block, and the direction and distance that it stands for."""
        for template in self.program.members[g]:
            size = (1, 2, 12)[WAYS.index(template.way)]
            if number < size:
                direction = "" if size == 1 else f"{template.way}={DIRECTIONS[number // (size // 2)]}"
                return template, direction + (f",{DISTANCES[number % 6]}" if size > 2 else "")
            number -= size
        raise IndexError(number)


class ArcWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        names = ArcNames(self.model)
        return {label: names.heaviest(label, top) for label in labels or self.label_names()}

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        return ArcNames(self.model).name_of

    def label_names(self) -> tuple[str, ...]:
        return (ARC, *self.model.outputs_as(ArcOutputs).relations)
