"""The weights of a model of tags and chunk labels with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.models.model import Model, of_precision
from riata.models.outputs import Weights
from riata.models.parts import row_width
from riata.models.weights_by_name import NamedWeight, WeightsByName, boundary_name, ngram_texts
from riata.structures.joint.model import PRECISIONS, JointOutputs
from riata.structures.joint.templates import OUTPUTS, JointFeatures, JointTemplate

Rows = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


class JointNames:
    """Rows of weights by name, in the order of JointLayout (native/models/joint_weights.hpp)."""

    def __init__(self, model: Model, grown: Rows | None = None) -> None:
        """grown: all rows that grew, if there are more than in the model."""
        self.model = model
        self.flat = model.weights.flat()
        outputs = model.outputs_as(JointOutputs)
        self.labels: tuple[tuple[str, ...], tuple[str, ...]] = (outputs.tags, outputs.chunks)
        self.slots = model.features_as(JointFeatures).joint.slots
        families = model.features.program.families
        self.pairs = [model.features.index.pairs(f) for f in range(len(families))]
        self.blocks: list[tuple[int, int, int, list[JointTemplate]]] = []  # output, start, family, templates
        start = 0
        for output, name in enumerate(OUTPUTS):
            for f in range(len(families)):
                plain = [t for t, g, _ in self.slots if g == f and t.output == name and not _reads(t)]
                self.blocks.append((output, start, f, plain))
                start += len(self.pairs[f][0]) * len(plain) * row_width(len(self.labels[output]))
        self.grown = model.weights_as(PRECISIONS).rows() if grown is None else grown
        slots = [template for template, _, _ in self.slots]
        widths = np.array([row_width(len(self.labels[OUTPUTS.index(t.output)])) for t in slots] or [0])
        read = np.array([len(t.tags) + len(t.chunks) for t in slots] or [0])
        self.grown_starts = start + np.concatenate([[0], np.cumsum(widths[self.grown[0]], dtype=np.int64)])
        self.value_starts = np.concatenate([[0], np.cumsum(read[self.grown[0]], dtype=np.int64)])

    def heaviest(self, labels: Sequence[str], top: int) -> dict[str, list[NamedWeight]]:
        """The features with the largest absolute weight for each of these tags or chunk labels, heaviest first."""
        return {label: self._heaviest(label, top) for label in labels}

    def _heaviest(self, label: str, top: int) -> list[NamedWeight]:
        output = 0 if label in self.labels[0] else 1
        column = self.labels[output].index(label)
        starts = self._rows_of(output)
        values = self.flat[starts + column]
        order = [int(i) for i in np.argsort(-np.abs(values), kind="stable")[:top] if values[i]]
        return [NamedWeight(self.name(int(starts[i])), label, float(values[i])) for i in order]

    def _rows_of(self, output: int) -> np.ndarray:
        """The places where the rows of an output start."""
        width = row_width(len(self.labels[output]))
        found = [
            start + width * np.arange(len(self.pairs[family][0]) * len(plain))
            for of, start, family, plain in self.blocks
            if of == output
        ]
        of_slot = np.array([OUTPUTS.index(t.output) for t, _, _ in self.slots] or [0])
        return np.concatenate([*found, self.grown_starts[:-1][of_slot[self.grown[0]] == output]]).astype(np.int64)

    def name_of(self, place: int) -> tuple[str, str]:
        """Feature and label of a weight, from its place among all weights."""
        if place >= self.grown_starts[0]:
            row = int(np.searchsorted(self.grown_starts, place, side="right")) - 1
            output = OUTPUTS.index(self.slots[int(self.grown[0][row])][0].output)
            column = place - int(self.grown_starts[row])
        else:
            output, first, _, _ = self._block(place)
            column = (place - first) % row_width(len(self.labels[output]))
        return self.name(place - column), self.labels[output][column]

    def name(self, start: int) -> str:
        """The name of the row that starts at a place of the long vector."""
        if start >= self.grown_starts[0]:
            return self._grown_name(int(np.searchsorted(self.grown_starts, start)))
        output, first, family, plain = self._block(start)
        ngram, slot = divmod((start - first) // row_width(len(self.labels[output])), len(plain))
        return " ".join([OUTPUTS[output], *self._reads(plain[slot], family, ngram)])

    def _block(self, place: int) -> tuple[int, int, int, list[JointTemplate]]:
        """The block of a place before the rows that grow."""
        return [block for block in self.blocks if block[1] <= place and block[3]][-1]

    def _grown_name(self, row: int) -> str:
        template, family, _ = self.slots[int(self.grown[0][row])]
        values = iter(self.grown[2][self.value_starts[row] : self.value_starts[row + 1]].tolist())
        found = [template.output]
        for output, offsets in enumerate((template.tags, template.chunks)):
            names = (boundary_name(0), *self.labels[output])
            # the nearest output comes first among the values
            read = [f"{OUTPUTS[output]}[{k}]={names[next(values)]}" for k in reversed(offsets)]
            found += reversed(read)
        return " ".join([*found, *self._reads(template, family, int(self.grown[1][row]))])

    def _reads(self, template: JointTemplate, family: int, ngram: int) -> list[str]:
        """The reads of a template with the values of an n-gram."""
        texts = ngram_texts(self.model, self.pairs, family, ngram)
        return [f"{read}={text}" for read, text in zip(template.reads, texts, strict=True)]


def _reads(template: JointTemplate) -> bool:
    return bool(template.tags or template.chunks)


class JointWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        return JointNames(self.model).heaviest(labels or self.label_names(), top)

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        return JointNames(self.model, of_precision(weights, PRECISIONS).rows()).name_of

    def label_names(self) -> tuple[str, ...]:
        outputs = self.model.outputs_as(JointOutputs)
        return (*outputs.tags, *outputs.chunks)


NAMES = JointWeightsByName
