"""The weights of a model of segments with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.segmentation import Segmentation
from riata.models.model import Model, of_precision
from riata.models.outputs import Weights
from riata.models.parts import row_width
from riata.models.weights_by_name import NamedWeight, WeightsByName, ngram_texts
from riata.structures.segments.model import PRECISIONS, SegmentOutputs
from riata.structures.segments.templates import LENGTH, LENGTH_BEFORE, SegmentFeatures, SegmentTemplate

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]


class SegmentNames:
    """Rows of weights by name, in the order of GrownRows (native/features/grown_rows.hpp)."""

    def __init__(self, model: Model, grown: tuple[Pairs, Pairs] | None = None) -> None:
        """grown: all roots and rows, if there are more than in the model."""
        self.model = model
        self.types: tuple[str, ...] = model.outputs_as(SegmentOutputs).segmentation.types
        self.program = model.features_as(SegmentFeatures).segments
        self.pairs = [model.features.index.pairs(f) for f in range(len(model.features.program.families))]
        self.weights = model.weights_as(PRECISIONS)
        all_rows: tuple[Pairs, Pairs] = grown or (self.weights.roots(), self.weights.rows())
        (self.root_slots, self.root_codes), (self.parents, self.values) = all_rows
        self.rows = model.weights.flat().reshape(-1, row_width(len(self.types)))

    def heaviest(self, kind: int, top: int) -> list[NamedWeight]:
        """The features with the largest absolute weight for a type of segments, heaviest first."""
        column = self.rows[:, kind]
        order = [int(row) for row in np.argsort(-np.abs(column), kind="stable")[:top] if column[row]]
        label = self.types[kind]
        return [NamedWeight(self.name(row), label, float(column[row])) for row in order]

    def name_of(self, place: int) -> tuple[str, str]:
        """Feature and type of a weight, from its place among all weights."""
        row, kind = divmod(place, row_width(len(self.types)))
        return self.name(row), self.types[kind]

    def name(self, row: int) -> str:
        steps = [int(self.values[row])]
        while self.parents[row] >= 0:
            row = int(self.parents[row])
            steps.insert(0, int(self.values[row]))
        root = -1 - int(self.parents[row])
        slot = int(self.root_slots[root])
        template, family = self.program.slots[slot], self.program.families[slot]
        if template.role == LENGTH:
            return f"{LENGTH}={steps[0]}"
        reads = [_taken(template, ngram_texts(self.model, self.pairs, family, ngram)) for ngram in steps if family >= 0]
        before = self._before(template, int(self.root_codes[root]))
        return " ".join([*before, *([template.role] if template.role else []), *reads])

    def _before(self, template: SegmentTemplate, code: int) -> list[str]:
        """What is read of earlier segments, from the number into which the core packs it (BackCodes)."""
        types = ("", *self.types)  # the empty name stands for before the sentence
        length: list[str] = []
        if template.length_before:
            code, tokens = divmod(code, self.weights.most + 1)
            length = [f"{LENGTH_BEFORE}={tokens}"]
        labels: list[str] = []
        for offset in template.labels:
            code, label = divmod(code, len(types))
            labels.append(f"label[{offset}]={types[label]}")
        return labels + length


def _taken(template: SegmentTemplate, texts: Sequence[str]) -> str:
    return " ".join(f"{read}={text}" for read, text in zip(template.reads, texts, strict=True))


class SegmentWeightsByName(WeightsByName):
    @property
    def _segmentation(self) -> Segmentation:
        return self.model.outputs_as(SegmentOutputs).segmentation

    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        names, segmentation = SegmentNames(self.model), self._segmentation
        return {
            label: names.heaviest(segmentation.types.index(segmentation.type_of(label)), top)
            for label in labels or segmentation.types
        }

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        weights = of_precision(weights, PRECISIONS)
        return SegmentNames(self.model, (weights.roots(), weights.rows())).name_of

    def labels_called(self, name: str, *, chunks: bool) -> tuple[str, ...]:
        return (name,) if name in self._segmentation.types or name in self.model.labels else ()

    def times_seen(self, label: str, counts: Mapping[str, int]) -> int:
        if label in counts:
            return counts[label]
        return sum(number for tag, number in counts.items() if self._segmentation.type_of(tag) == label)


NAMES = SegmentWeightsByName
