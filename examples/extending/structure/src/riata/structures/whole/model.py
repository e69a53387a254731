"""One label for a whole sentence: what a model asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riata._core import WholeWeights, WholeWeights64
from riata.errors import ModelFileError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.templates import parse
from riata.models.container import Arrays
from riata.models.model import Model, of_kind
from riata.models.outputs import Outputs, Refusal, Weights, WeightsKind
from riata.models.parts import (
    feature_header,
    ngram_sizes,
    read_features,
    read_strings,
    read_templates,
    read_weights,
    store_features,
    store_weights,
    weight_bytes,
)

PRECISIONS = WholeWeights, WholeWeights64


@dataclass(frozen=True, eq=False)
class WholeOutputs(Outputs):
    texts: tuple[str, ...]  # of the labels

    structure = "whole"
    precisions = PRECISIONS

    @property
    def labels(self) -> tuple[str, ...]:
        return self.texts

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, PRECISIONS)
        return kind(features.index, len(self.texts))

    def exact_refusal(self, features: Features) -> Refusal | None:
        beyond = next((template for template in features.templates if template.edge or template.labels), None)
        return None if beyond is None else Refusal(f"'{beyond}' reads labels of neighbours, which are all the same", beyond, "leave it out")

    def memory(self, features: Features) -> tuple[str, int]:
        sizes = ngram_sizes(features)
        return f"{len(self.texts):,} labels and {sum(sizes):,} n-grams", weight_bytes(features, sizes, len(self.texts))

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        header = {"structure": self.structure, "labels": list(self.texts), **feature_header(model.features)}
        arrays: Arrays = {}
        store_features(model.features, arrays)
        store_weights(model.weights.flat(), arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        labels = read_strings(header, "labels")
        if not labels or len(set(labels)) != len(labels):
            raise ModelFileError("the model's labels are inconsistent")
        templates, lists = read_templates(header, arrays, parse, functions)
        features = Features(templates, functions, lists)
        read_features(features, arrays)
        outputs = cls(tuple(labels))
        weights = of_kind(outputs.new_weights(features, WholeWeights), WholeWeights)
        weights.set_flat(read_weights(arrays, len(weights.flat())))
        return Model(features, weights, outputs)


OUTPUTS = WholeOutputs
