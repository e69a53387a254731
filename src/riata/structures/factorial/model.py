"""A tag and a chunk label per token, scored in pairs: what a model asks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import FactorialWeights, FactorialWeights64, Instances, most_combinations
from riata.data.encodings.base import Encoding, chunk_flags
from riata.data.pairs import joined_text
from riata.data.types import Ids, Starts
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.inference.rules.first_order import encoded
from riata.inference.rules.legality import Legality, Mask
from riata.inference.rules.slots import LabelNames
from riata.models.container import Arrays
from riata.models.label_names import read_tags_and_chunks
from riata.models.model import Model, of_kind
from riata.models.outputs import NO_CODES, Outputs, Refusal, Values, Weights, WeightsKind
from riata.models.parts import (
    feature_header,
    read_features,
    read_templates,
    read_weights,
    refuse_huge,
    row_width,
    store_features,
    store_weights,
)
from riata.structures.factorial.templates import ALONE, SECOND, FactorialFeatures, parse
from riata.structures.joint.templates import OUTPUTS as OUTPUT_NAMES

PRECISIONS = FactorialWeights, FactorialWeights64


@dataclass(frozen=True, eq=False)
class FactorialOutputs(Outputs):
    """The tags and the chunk labels, each most frequent first. A label is a pair, with the number: tag x number of chunk labels + chunk
    label.
    """

    tags: tuple[str, ...]
    chunks: tuple[str, ...]
    encoding: Encoding  # of the chunk labels
    more: tuple[Legality, ...] | None = None  # masks of constraints, by column

    structure = "factorial"
    precisions = PRECISIONS
    columns = 2

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(joined_text(tag, chunk) for tag in self.tags for chunk in self.chunks)

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, PRECISIONS)
        return kind(of_kind(features, FactorialFeatures).native, list(self.columns_legality()))

    @property
    def is_complete(self) -> bool:
        return all(column.is_complete for column in self.columns_legality())

    def stuck_alone(self, starts: Starts) -> NDArray[np.int64]:
        return np.sort(np.concatenate([column.stuck_alone(starts) for column in self.columns_legality()]))

    def limited(self, model: Model, columns: Sequence[Legality]) -> Model | None:
        outputs = replace(self, more=tuple(columns))
        weights: Any = model.weights
        flags = list(outputs.columns_legality())
        return Model(model.features, weights.constrained(flags), outputs)

    def columns_legality(self) -> tuple[Legality, ...]:
        """Which tags, and which chunk labels, may follow each other."""
        own = Legality.free(len(self.tags)), encoded(self.encoding, self.chunks)
        return own if self.more is None else tuple(a & b for a, b in zip(own, self.more, strict=True))

    def label_names(self, encoding: Encoding | None) -> LabelNames:
        from riata.models.label_names import names_of

        return names_of(self.tags, self.chunks, self.encoding)

    def slot_labels(self, codes: Ids) -> NDArray[np.int32]:
        tags, chunks = np.divmod(codes, len(self.chunks))
        return np.stack([tags, len(self.tags) + chunks], axis=1).astype(np.int32)

    def exact_refusal(self, features: Features) -> Refusal | None:
        return None

    def chunk_flags(self, chunks: bool) -> tuple[Ids, Mask]:
        return chunk_flags(self.chunks)

    def chunk_labels(self) -> tuple[str, ...]:
        return self.chunks

    def probabilities(self, model: Model, instances: Instances, temperature: float) -> tuple[Values, Values]:
        log_z, rows, _ = self._summed(model, instances, NO_CODES, temperature)
        return log_z, rows

    def summed_confidences(
        self, model: Model, instances: Instances, codes: Ids, temperatures: Sequence[float], *, chunks: bool
    ) -> Values | None:
        return np.stack([self._summed(model, instances, codes, t)[2].reshape(self.columns, -1) for t in temperatures])

    def _summed(self, model: Model, instances: Instances, codes: Ids, temperature: float) -> Any:
        flags = self.chunk_flags(chunks=True)
        return model.weights_as(PRECISIONS).probabilities(model.features.index, instances, codes, *flags, temperature)

    def memory(self, features: Features) -> tuple[str, int]:
        features = of_kind(features, FactorialFeatures)
        counts = dict(zip(OUTPUT_NAMES, (len(self.tags), len(self.chunks)), strict=True))
        need = 0
        for template, family, _ in features.joint.slots:
            second = SECOND[template.output, template.tags, template.chunks]
            rows = 1 if second == ALONE else counts[OUTPUT_NAMES[second]]
            need += 4 * rows * row_width(counts[template.output]) * (1 if family < 0 else features.index.size(family))
        return f"{len(self.tags):,} tags, {len(self.chunks):,} chunk labels and these features", need

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without weights that are zero."""
        features = model.features_as(FactorialFeatures)
        header = {
            "structure": self.structure,
            "tags": list(self.tags),
            "chunks": list(self.chunks),
            "chunk_encoding": self.encoding.name,
            **feature_header(features),
        }
        arrays: Arrays = {}
        store_features(features, arrays)
        store_weights(model.weights.flat(), arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        outputs = cls(*read_tags_and_chunks(header, most_combinations))
        templates, lists = read_templates(header, arrays, parse, functions)
        features = FactorialFeatures(templates, functions, lists)
        read_features(features, arrays)
        refuse_huge(outputs.memory(features)[1])
        weights = of_kind(outputs.new_weights(features, FactorialWeights), FactorialWeights)
        weights.set_flat(read_weights(arrays, weights.fit_to(features.index)))
        return Model(features, weights, outputs)


OUTPUTS = FactorialOutputs
