"""The weights of a model of segments with names that people can read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riata.features.segments import GROWN, SegmentTemplate
from riata.models.chain import row_width
from riata.models.segments import SegmentModel
from riata.models.weights_by_name import NamedWeight, text_of


class SegmentNames:
    """Rows of weights by name, as SegmentLayout has them (native/models/segment_weights.hpp)."""

    def __init__(self, model: SegmentModel) -> None:
        self.model = model
        families = model.features.program.families
        self.pairs = [model.features.index.pairs(f) for f in range(len(families))]
        self.slots: list[list[SegmentTemplate]] = [[] for _ in families]
        program = model.features.segments
        for (_, family, _), template in zip(program.anchored, program.anchored_templates, strict=True):
            self.slots[family].append(template)
        sizes = [len(pairs[0]) * len(slots) for pairs, slots in zip(self.pairs, self.slots, strict=True)]
        self.starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self.grown = model.weights.grown()
        self.rows = model.weights.flat().reshape(-1, row_width(len(model.segmentation.types)))

    def heaviest(self, kind: int, top: int) -> list[NamedWeight]:
        """The features of the largest absolute weight for a type of segments, heaviest first."""
        column = self.rows[:, kind]
        order = [int(row) for row in np.argsort(-np.abs(column), kind="stable")[:top] if column[row]]
        label = self.model.segmentation.types[kind]
        return [NamedWeight(self.name(row), label, float(column[row])) for row in order]

    def name(self, row: int) -> str:
        if row >= self.starts[-1]:
            return self._grown_name(row - int(self.starts[-1]))
        family = int(np.searchsorted(self.starts, row, side="right")) - 1
        ngram, slot = divmod(row - int(self.starts[family]), len(self.slots[family]))
        template = self.slots[family][slot]
        return f"{template.role} {_taken(template, self._texts(family, ngram))}"

    def _grown_name(self, row: int) -> str:
        path: list[int] = []
        parents, values = self.grown
        while parents[row] >= 0:
            path.append(int(values[row]))
            row = int(parents[row])
        path.reverse()
        kind, family, _, back = self.model.features.segments.grown[row]
        template = self.model.features.segments.grown_templates[row]
        if GROWN[kind] == "length":
            return f"length={path[0]}"
        if GROWN[kind] == "sequence":
            return " ".join(["sequence", *(_taken(template, self._texts(family, ngram)) for ngram in path)])
        start = int(family >= 0)
        types = ("", *self.model.segmentation.types)  # nothing: before the sentence
        labels = [f"label[-{k}]={types[value]}" for k, value in zip(back, path[start:], strict=True)]
        return " ".join([*labels, *(f"first {_taken(template, self._texts(family, path[0]))}" for _ in range(start))])

    def _texts(self, family: int, ngram: int) -> list[str]:
        """The values of an n-gram, in the order of the reads."""
        found: list[str] = []
        families = self.model.features.program.families
        while family >= 0:
            parents, values = self.pairs[family]
            parent, attribute, _ = families[family]
            found.append(text_of(self.model, attribute, int(values[ngram])))
            family, ngram = parent, int(parents[ngram])
        return found[::-1]


def _taken(template: SegmentTemplate, texts: Sequence[str]) -> str:
    return " ".join(f"{read}={text}" for read, text in zip(template.reads, texts, strict=True))
