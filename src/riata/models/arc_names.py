"""The weights of dependency arcs and relations, with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.features.arcs import WAYS, ArcFeatures, block_sizes, has_pairs
from riata.models.arc_outputs import ArcOutputs
from riata.models.model import Model
from riata.models.outputs import Weights
from riata.models.weights_by_name import NamedWeight, WeightsByName, ngram_texts

ARC = "arc"  # in place of a relation, for weights of arcs
NO_SIBLING = "none"  # what a first child reads
DIRECTIONS = ("left", "right")  # the side on which the child is
DISTANCES = ("1", "2", "3", "4", "5-10", "11-")


class ArcNames:
    """Weights of arcs and relations by name (native/features/arc_rows.hpp)."""

    def __init__(self, model: Model) -> None:
        self.model = model
        weights: Any = model.weights
        self.flat = weights.flat()
        self.blocks, self.rows = weights.blocks(), weights.rows()
        self.relations = model.outputs_as(ArcOutputs).relations
        self.program = model.features_as(ArcFeatures).arcs
        self.pairs_of = {g: weights.pairs(g) for g, group in enumerate(self.program.groups) if has_pairs(group)}
        self.pairs = [model.features.index.pairs(f) for f in range(len(model.features.program.families))]

    @cached_property
    def _by_place(self) -> NDArray[np.int64]:
        """The order of weights of relations by place."""
        return np.argsort(self.rows[6], kind="stable")

    @cached_property
    def _row_ends(self) -> NDArray[np.int64]:
        """[rows] How many weights of relations there are up to each row."""
        return np.cumsum(self.rows[4])

    def heaviest(self, label: str, top: int) -> list[NamedWeight]:
        """The features of a relation, or of arcs, with the largest absolute weights."""
        if label == ARC:
            sizes = block_sizes(self.program.groups)[self.blocks[0]]
            first = np.cumsum(sizes) - sizes
            places = np.repeat(self.blocks[3] - first, sizes) + np.arange(sizes.sum())
        else:
            places = np.sort(self.rows[6][self.rows[5] == self.relations.index(label)])
        values = self.flat[places]
        order = [int(i) for i in np.argsort(-np.abs(values), kind="stable")[:top] if values[i]]
        return [NamedWeight(self.name_of(int(places[i]))[0], label, float(values[i])) for i in order]

    def name_of(self, place: int) -> tuple[str, str]:
        """Feature and relation of a weight, from its place among all weights."""
        order, places = self._by_place, self.rows[6]
        at = int(np.searchsorted(places, place, sorter=order))
        if at < len(places) and places[order[at]] == place:
            weight = int(order[at])
            row = int(np.searchsorted(self._row_ends, weight, side="right"))
            groups, numbers, left, right = (int(column[row]) for column in self.rows[:4])
            return self._name(groups, numbers, left, right), self.relations[int(self.rows[5][weight])]
        groups, left, right, starts = self.blocks
        block = int(np.searchsorted(starts, place, side="right")) - 1
        number = place - int(starts[block])
        return self._name(int(groups[block]), number, int(left[block]), int(right[block])), ARC

    def _name(self, g: int, number: int, left: int, right: int) -> str:
        """A feature in words: its group, its number in the group, and the two numbers that it is found by."""
        (head, _), (child, _), between, _, _, (sibling, _) = self.program.groups[g]
        template, way = self._context(g, number)
        ngrams = {
            "head": (head, template.head),
            "child": (child, template.child),
            "between": (between, template.between),
            "sibling": (sibling, template.sibling),
        }
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
        return " ".join([template.scored, *name, *([way] if way else [])])

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
