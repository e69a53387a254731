"""The weights of a model of tags and chunk labels that are scored in pairs, with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riata.models.model import Model
from riata.models.outputs import Weights
from riata.models.parts import row_width
from riata.models.weights_by_name import NamedWeight, WeightsByName, ngram_texts
from riata.structures.factorial.model import PRECISIONS, FactorialOutputs
from riata.structures.factorial.templates import ALONE, SECOND, FactorialFeatures
from riata.structures.joint.templates import OUTPUTS


class FactorialNames:
    """Rows of weights by name, in the order of FactorialLayout (native/models/factorial_weights.hpp)."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.flat = model.weights.flat()
        outputs = model.outputs_as(FactorialOutputs)
        self.labels = (outputs.tags, outputs.chunks)
        self.slots = model.features_as(FactorialFeatures).joint.slots
        self.pairs = [model.features.index.pairs(f) for f in range(len(model.features.program.families))]
        self.starts, self.sizes = model.weights_as(PRECISIONS).rows()
        ngrams = [1 if family < 0 else model.features.index.size(family) for _, family, _ in self.slots]
        self.ends = self.starts + self.sizes * np.array(ngrams or [0], np.int64)[: len(self.slots)]

    def heaviest(self, label: str, top: int) -> list[NamedWeight]:
        """The features of a tag or a chunk label with the largest absolute weights."""
        output = 0 if label in self.labels[0] else 1
        width, column = row_width(len(self.labels[output])), self.labels[output].index(label)
        places = [
            np.arange(start + column, end, width)
            for (template, _, _), start, end in zip(self.slots, self.starts, self.ends, strict=True)
            if template.output == OUTPUTS[output]
        ]
        all_places = np.concatenate(places) if places else np.empty(0, np.int64)
        values = self.flat[all_places]
        order = [int(i) for i in np.argsort(-np.abs(values), kind="stable")[:top] if values[i]]
        return [NamedWeight(self.name_of(int(all_places[i]))[0], label, float(values[i])) for i in order]

    def name_of(self, place: int) -> tuple[str, str]:
        """Feature and label of a weight, from its place among all weights."""
        slot = next(s for s in range(len(self.slots)) if self.starts[s] <= place < self.ends[s])
        template, family, _ = self.slots[slot]
        ngram, cell = divmod(place - int(self.starts[slot]), int(self.sizes[slot]))
        labels = self.labels[OUTPUTS.index(template.output)]
        second = SECOND[template.output, template.tags, template.chunks]
        name = [template.output]
        if second != ALONE:
            offset = (*template.tags, *template.chunks)[0]
            name.append(f"{OUTPUTS[second]}[{offset}]={self.labels[second][cell // row_width(len(labels))]}")
        if family >= 0:
            texts = ngram_texts(self.model, self.pairs, family, ngram)
            name += [f"{read}={text}" for read, text in zip(template.reads, texts, strict=True)]
        return " ".join(name), labels[cell % row_width(len(labels))]


class FactorialWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        names = FactorialNames(self.model)
        return {label: names.heaviest(label, top) for label in labels or self.label_names()}

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        return FactorialNames(self.model).name_of

    def label_names(self) -> tuple[str, ...]:
        outputs = self.model.outputs_as(FactorialOutputs)
        return (*outputs.tags, *outputs.chunks)


NAMES = FactorialWeightsByName
