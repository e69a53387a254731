"""A tag and a chunk label per token, decided together: what a model asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import JointWeights, JointWeights64
from riata.data.encodings.base import Encoding, chunk_flags
from riata.data.pairs import joined_text
from riata.data.types import Corpus, Ids, KnownLabels
from riata.errors import ModelFileError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.inference.rules.first_order import encoded
from riata.inference.rules.legality import Legality, Mask
from riata.inference.rules.slots import LabelNames
from riata.models.container import Arrays
from riata.models.label_names import read_tags_and_chunks
from riata.models.model import Model, of_kind
from riata.models.outputs import Outputs, Refusal, Weights, WeightsKind
from riata.models.parts import (
    feature_header,
    narrow,
    read_dictionary,
    read_features,
    read_ids,
    read_templates,
    read_weights,
    row_width,
    store_dictionary,
    store_features,
    store_weights,
)
from riata.structures.joint.templates import OUTPUTS as OUTPUT_NAMES
from riata.structures.joint.templates import JointFeatures, parse

NAME = "joint"
PRECISIONS = JointWeights, JointWeights64
MOST_PAIRS = 1 << 18  # largest number of pairs of a tag and a chunk label
REFUSAL = Refusal(
    f"the structure {NAME!r} scores tags and chunk labels of several words together, for which there is no dynamic program",
    None,
    "train with structure='factorial', or use a Tagger and a Chunker, which have that",
)


@dataclass(frozen=True, eq=False)
class JointOutputs(Outputs):
    """The tags and the chunk labels, each most frequent first. A label is a pair, with the number: tag x number of chunk labels + chunk
    label.
    """

    tags: tuple[str, ...]
    chunks: tuple[str, ...]
    encoding: Encoding  # of the chunk labels

    structure = NAME
    precisions = PRECISIONS
    columns = 2

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(joined_text(tag, chunk) for tag in self.tags for chunk in self.chunks)

    def legality(self) -> Legality:
        """Which chunk labels may follow each other."""
        return encoded(self.encoding, self.chunks)

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, PRECISIONS)
        features = of_kind(features, JointFeatures)
        return kind(features.native, len(self.tags), *self.legality(), features.ahead)

    def exact_refusal(self, features: Features) -> Refusal:
        return REFUSAL

    def label_names(self, encoding: Encoding | None) -> LabelNames:
        from riata.models.label_names import names_of

        return names_of(self.tags, self.chunks, self.encoding)

    def slot_labels(self, codes: Ids) -> NDArray[np.int32]:
        tags, chunks = np.divmod(codes, len(self.chunks))
        return np.stack([tags, len(self.tags) + chunks], axis=1).astype(np.int32)

    def as_known(self, weights: Weights, known: KnownLabels) -> KnownLabels:
        return known

    def chunk_flags(self, chunks: bool) -> tuple[Ids, Mask]:
        return chunk_flags(self.chunks)

    def chunk_labels(self) -> tuple[str, ...]:
        return self.chunks

    def impossible(self, model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether the dictionary does not allow the given tag of a token."""
        words, tags = corpus.columns[0], labels // len(self.chunks)
        pairs, place = np.unique(words.ids.astype(np.int64) * len(self.tags) + tags, return_inverse=True)
        texts = words.alphabet.texts_of(pairs // len(self.tags))
        allowed = model.features_as(JointFeatures).dictionary.of
        never = [int(pair) % len(self.tags) not in allowed(text) for pair, text in zip(pairs, texts, strict=True)]
        return np.array(never, bool)[place]

    def memory(self, features: Features) -> tuple[str, int]:
        features = of_kind(features, JointFeatures)
        widths = dict(zip(OUTPUT_NAMES, (row_width(len(self.tags)), row_width(len(self.chunks))), strict=True))
        rows = [(t.output, family) for t, family, _ in features.joint.slots if not t.tags and not t.chunks]
        need = sum(4 * widths[output] * features.index.size(family) for output, family in rows)
        return f"{len(self.tags):,} tags, {len(self.chunks):,} chunk labels and these features", need

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without weights that are zero."""
        features = model.features_as(JointFeatures)
        dictionary = features.dictionary
        header = {
            "structure": self.structure,
            "tags": list(self.tags),
            "chunks": list(self.chunks),
            "chunk_encoding": self.encoding.name,
            **feature_header(features),
            "lookahead": features.ahead,
            "dictionary": dictionary.least,
        }
        arrays: Arrays = {}
        store_features(features, arrays)
        store_dictionary(dictionary, arrays)
        slots, ngrams, values = model.weights_as(PRECISIONS).rows()
        arrays["rows/slots"], arrays["rows/ngrams"] = narrow(slots), narrow(ngrams + 1)  # 0: none
        arrays["rows/values"] = narrow(values)
        store_weights(model.weights.flat(), arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        outputs, ahead = cls(*read_tags_and_chunks(header, MOST_PAIRS)), header.get("lookahead")
        if not isinstance(ahead, bool):
            raise ModelFileError("the model's look-ahead is missing or inconsistent")
        templates, lists = read_templates(header, arrays, parse, functions)
        features = JointFeatures(
            templates, functions, lists, ahead, read_dictionary(header, arrays, outputs.tags, alike=True)
        )
        read_features(features, arrays)
        weights = of_kind(outputs.new_weights(features, JointWeights), JointWeights)
        rows = (read_ids(arrays, "rows/slots"), read_ids(arrays, "rows/ngrams", -1), read_ids(arrays, "rows/values"))
        weights.set_rows(features.index, *rows)
        weights.set_flat(read_weights(arrays, weights.size))
        return Model(features, weights, outputs)


OUTPUTS = JointOutputs
