"""Labels of tokens, one each: what a model asks of a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import (
    ChainWeights,
    ChainWeights64,
    FeatureIndex,
    Instances,
    StoredChain,
    chain_scores,
    exact_order,
    most_exact_labels,
    unpack_chain,
)
from riata.data.encodings.base import Encoding
from riata.data.types import Ids, KnownLabels, Starts
from riata.errors import DataError, ModelFileError, RiataError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.templates import NUMBER, parse
from riata.inference.rules.legality import Legality, Mask
from riata.models.container import Arrays
from riata.models.model import FoldedModel, Model, NamedModel, StoredWeights, foldable, is_named, of_kind, of_precision
from riata.models.outputs import NO_CODES, Outputs, Refusal, Values, Weights, WeightsKind
from riata.models.parts import (
    KEY,
    MOST_LABELS,
    NONE,
    dictionary_header,
    feature_header,
    narrow,
    ngram_sizes,
    read_alphabet,
    read_bits,
    read_dictionary,
    read_families,
    read_history,
    read_legality,
    read_rows,
    read_strings,
    read_table,
    read_templates,
    read_values,
    read_vectors,
    refuse_huge,
    row_width,
    store_dictionary,
    store_lists,
    store_rows,
    store_texts,
    store_values,
    store_vectors,
    weight_bytes,
)

if TYPE_CHECKING:
    from riata.inference.rules.slots import LabelNames

MOST_STATES = 300_000  # largest number of states of an exact search that was not asked for
HASHED = "train with edge in place of label[-1], or without bits"
FEWER_LABELS = f"train with templates that read label[-1] and label[-{exact_order}] only"
PRECISIONS = ChainWeights, ChainWeights64
TRUNCATED = "truncated"  # in headers of files: scores of steps are kept between -1 and 1


@dataclass(frozen=True, eq=False)
class ChainOutputs(Outputs):
    texts: tuple[str, ...]  # of the labels
    legality: Legality

    structure = "chain"
    precisions = PRECISIONS

    @property
    def labels(self) -> tuple[str, ...]:
        return self.texts

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, PRECISIONS)
        return kind(len(self.labels), *self.legality)

    def exact_refusal(self, features: Features) -> Refusal | None:
        return exact_refusal(features, len(self.labels))

    def exact_is_cheap(self, features: Features, longest: int) -> bool:
        """A chain that reads `order` labels back has labels ** order states at a token, which are few if the order is 1."""
        order = features.program.order
        return order <= 1 or len(self.labels) ** order * longest <= MOST_STATES

    def as_known(self, weights: Weights, known: KnownLabels) -> KnownLabels:
        return known

    def stuck(self, weights: Weights, starts: Starts, known: KnownLabels) -> NDArray[np.int64]:
        return self.legality.stuck(starts, known.sets, known.of)

    def label_names(self, encoding: Encoding | None) -> LabelNames:
        from riata.models.label_names import names_of

        return names_of((), self.labels, encoding) if encoding is not None else names_of(self.labels, (), None)

    takes_sets = True

    @property
    def is_complete(self) -> bool:
        return self.legality.is_complete

    def stuck_alone(self, starts: Starts) -> NDArray[np.int64]:
        return self.legality.stuck_alone(starts)

    def limited(self, model: Model, columns: Sequence[Legality]) -> Model | None:
        if model.local:
            return None  # steps are normalised over the labels that may follow: other masks would be another model
        return constrained(model, self.legality & columns[0])

    def tag_sets(self, sets: Mask, *, everywhere: bool) -> Mask | None:
        return sets.astype(np.uint8)

    def slot_scores(self, model: Model, instances: Instances, sentence: int) -> tuple[Values, Values | None] | None:
        if model.features.program.order > 0 or model.local:
            return None
        return self._scored(model.weights_as(PRECISIONS), model.features.index, instances, sentence)

    def _scored(
        self, weights: ChainWeights | ChainWeights64, index: FeatureIndex, instances: Instances, sentence: int
    ) -> tuple[Values, Values | None]:
        node, edge = chain_scores(weights, index, instances, sentence)
        tables = edge.reshape(-1, len(self.labels), len(self.labels))
        pairs = tables[0] if len(tables) == 1 else tables
        return node.reshape(-1, len(self.labels)), pairs if pairs.any() else None

    def chunk_flags(self, chunks: bool) -> tuple[Ids, Mask]:
        from riata.data.encodings.base import chunk_flags

        labels = len(self.labels)
        no_chunks = np.arange(labels, dtype=np.int32), np.zeros(labels**2, np.uint8)
        return chunk_flags(self.labels) if chunks else no_chunks

    def probabilities(self, model: Model, instances: Instances, temperature: float) -> tuple[Values, Values]:
        log_z, rows, _ = self._summed(model, instances, NO_CODES, [temperature], chunks=False)[0]
        return log_z, rows

    def summed_confidences(
        self, model: Model, instances: Instances, codes: Ids, temperatures: Sequence[float], *, chunks: bool
    ) -> Values | None:
        if self.exact_refusal(model.features) is not None:
            return None
        rows = self._summed(model, instances, codes, temperatures, chunks=chunks)
        return np.stack([sure for _, _, sure in rows])[:, None, :]

    def _summed(
        self, model: Model, instances: Instances, codes: Ids, temperatures: Sequence[float], *, chunks: bool
    ) -> list[Any]:
        """log Z of sentences, probabilities of labels, and those of codes, at every temperature."""
        weights, asked = (
            model.weights_as(PRECISIONS),
            (model.features.index, instances, codes, *self.chunk_flags(chunks)),
        )
        return [weights.probabilities(*asked, temperature) for temperature in temperatures]

    def is_local(self, weights: Weights) -> bool:
        chain = of_precision(weights, PRECISIONS)
        return chain.local or chain.truncated

    def fast_form(self, model: Model) -> FoldedModel | NamedModel | None:
        features = model.features
        if not model.single or model.local or self.exact_refusal(features) is not None:
            return None
        dictionary = features.dictionary
        if dictionary is not None and (dictionary.alike or all(column for _, column in features.program.attributes)):
            return None  # it describes rare words in Python, or its words are read by no template
        form = FoldedModel if foldable(features) else NamedModel if is_named(features) else None
        return None if form is None else form(features, of_kind(model.weights, ChainWeights))

    @property
    def are_free(self) -> bool:
        return self.legality.is_free

    def memory(self, features: Features) -> tuple[str, int]:
        _check_order(features, len(self.labels), DataError)
        sizes = ngram_sizes(features)
        what = f"{len(self.labels):,} labels and {sum(sizes):,} n-grams"
        return what, weight_bytes(features, sizes, len(self.labels))

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without n-grams and values that carry no weight."""
        features, program = model.features, model.features.program
        sparse = model.weights_as(PRECISIONS).pack(features.index)
        header = {"labels": list(self.labels), **feature_header(features), "bits": features.bits}
        if features.dictionary is not None:
            header |= dictionary_header(features.dictionary)
        if model.local:
            header["local"] = TRUNCATED if model.weights_as(PRECISIONS).truncated else True
        arrays: Arrays = self.legality._asdict()
        if features.dictionary is not None:
            store_dictionary(features.dictionary, arrays)
        store_rows(arrays, "transition", sparse["transition"])
        store_lists(features, arrays)
        store_vectors(features, arrays)
        if features.bits:
            arrays["table/places"] = narrow(sparse["kept_given"])
            store_rows(arrays, "table/rows", sparse["given"])
            return header, arrays
        store_values(features, arrays, sparse["kept_values"])
        store_texts(arrays, "given", [features.given.text(int(i)) for i in sparse["kept_given"]])
        store_rows(arrays, "given/rows", sparse["given"])
        if program.history:
            history = sparse["history"]
            for name in ("slots", "ngrams", "labels"):
                arrays[f"history/{name}"] = narrow(history[name])
            store_rows(arrays, "history/rows", history["rows"])
        for f, family in enumerate(sparse["families"]):
            if program.families[f][0] >= 0:
                arrays[f"family/{f}/parents"] = narrow(family["parents"])
            arrays[f"family/{f}/values"] = narrow(family["values"])
            arrays[f"family/{f}/order"] = narrow(family["order"])
            store_rows(arrays, f"family/{f}/node", family["node"])
            store_rows(arrays, f"family/{f}/edge", family["edge"])
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        labels = read_strings(header, "labels")
        if not labels or len(set(labels)) != len(labels) or len(labels) > MOST_LABELS:
            raise ModelFileError("the model's labels are inconsistent")
        count = len(labels)
        outputs = cls(tuple(labels), read_legality(arrays, count))
        templates, lists = read_templates(header, arrays, parse, {*functions, NUMBER})
        features = Features(templates, functions, lists, read_bits(header))
        features.vectors = read_vectors(arrays)
        if KEY in header:
            features.dictionary = read_dictionary(header, arrays, tuple(labels))
        _check_order(features, count, ModelFileError)
        local = header.get("local", False)
        if local not in (False, True, TRUNCATED) or (local is True and features.program.history):
            raise ModelFileError("the model's normalisation is inconsistent")
        if features.bits:
            stored = read_table(arrays, features, count)
            return Model(
                features,
                StoredWeights(features, stored, outputs, local=local is True, truncated=local == TRUNCATED),
                outputs,
            )
        read_values(features, arrays)
        features.given = read_alphabet(arrays, "given")
        sparse: dict[str, Any] = {
            "families": read_families(arrays, features),
            "kept_given": NONE,
            "given": read_rows(arrays, "given/rows"),
            "transition": read_rows(arrays, "transition"),
            "history": read_history(arrays, features.program.history != ()),
        }
        sizes = [len(family["values"]) for family in sparse["families"]]
        refuse_huge(weight_bytes(features, sizes, count) + 4 * row_width(count) * len(sparse["history"]["slots"]))
        sizes = [len(alphabet) for alphabet in features.alphabets]
        if features.program.history:  # they are checked when they are entered
            blank = of_kind(outputs.new_weights(features, ChainWeights), ChainWeights)
            blank.truncated = local == TRUNCATED
            return Model(features, unpack_chain(features.index, sparse, blank, sizes, len(features.given)), outputs)
        stored = StoredChain(features.index, sparse, count, sizes, len(features.given))
        return Model(
            features,
            StoredWeights(features, stored, outputs, local=local is True, truncated=local == TRUNCATED),
            outputs,
        )


def exact_refusal(features: Features, labels: int) -> Refusal | None:
    """Why dynamic programming cannot find the best output with this number of labels; None: it can."""
    program = features.program
    if features.bits and program.history:
        template = program.history_templates[0]
        why = "reads earlier labels, and with bits exact search does not know which of them carry weight"
        return Refusal(f"'{template}' {why}", template, HASHED)
    if program.order <= 1 or (program.order <= exact_order and labels <= most_exact_labels):
        return None
    template = program.history_templates[[back[-1] for _, _, back in program.history].index(program.order)]
    if program.order <= exact_order:
        why = f"reads label[-{program.order}], which exact search does for up to {most_exact_labels} labels, not for {labels:,}"
        return Refusal(f"'{template}' {why}", template, "train with templates that read label[-1] only")
    why = f"reads label[-{program.order}], and exact search looks back no further than label[-{exact_order}]"
    return Refusal(f"'{template}' {why}", template, FEWER_LABELS)


def _check_order(features: Features, labels: int, error: type[RiataError]) -> None:
    """States are distinguished by the labels that templates read, packed into one number, which must not overflow."""
    order = features.program.order
    if (labels + 1) ** order >= 1 << 62:
        raise error(
            f"templates read label[-{order}], which is too far back for {labels:,} labels.",
            remedy="Read fewer labels back.",
        )


def constrained(model: Model, legality: Legality) -> Model:
    """The same weights, with other rules for which labels may follow each other."""
    outputs = of_kind(model.outputs, ChainOutputs)
    weights: Any = model.weights
    return Model(model.features, weights.constrained(*legality), replace(outputs, legality=legality))


OUTPUTS = ChainOutputs
