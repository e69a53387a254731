"""A trained chain: features, weights, labels and which labels may follow which. Immutable once made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import (
    ChainWeights,
    ChainWeights64,
    FeatureIndex,
    Instances,
    StoredChain,
    allow,
    exact_order,
    most_exact_labels,
    stuck_labels,
    unbounded,
    unpack_chain,
)
from riata.data.types import Corpus, Ids, Starts
from riata.errors import DataError, ModelFileError, RiataError, UnsupportedError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.frequency import FREQUENCY
from riata.features.lists import attribute_names
from riata.features.templates import NUMBER, Template, parse
from riata.models.arrays import narrow, read_alphabet, read_array, read_counts, read_strings, store_texts
from riata.models.container import Arrays
from riata.models.feature_parts import MOST_MEMORY, read_frequencies, read_lists, read_templates, refuse_huge
from riata.models.folded import FoldedModel, foldable
from riata.models.named import NamedModel, is_named

Flags = NDArray[np.uint8]
MOST_LABELS = 4096  # a first-order chain keeps a matrix of labels x labels
FEWEST_BITS, MOST_BITS = 10, 30  # of a table of hashed weights
MOST_FEW_TOKENS = 1000  # that a loaded model labels before its weights are unfolded
MOST_FEW_BYTES = 16 << 20  # of their weights
MOST_STATES = 300_000  # of one exact search that nobody asked for, as a yardstick


NONE = np.empty(0, np.uint8)
NO_ROWS = (NONE, NONE, np.empty(0, np.float32))


@dataclass(frozen=True)
class Decoder:
    """How the best labels are looked for: exactly, or by search with a queue."""

    queue: str = "exact"
    beam: int = unbounded
    beam_by: str = "operations"
    max_nodes: int = 1_000_000  # of one search; past it the search is an error
    seconds: float = 0.0  # of one search, then it gives the best so far; 0: no limit


EXACT = Decoder()


@dataclass(frozen=True)
class Legality:
    """Which labels may start, end and follow: flags of [L], [L] and [L * L]."""

    start: Flags
    end: Flags
    follow: Flags

    @classmethod
    def free(cls, labels: int) -> Legality:
        return cls(np.ones(labels, np.uint8), np.ones(labels, np.uint8), np.ones(labels * labels, np.uint8))

    def stuck(self, starts: Starts, sets: Flags, of: Ids) -> NDArray[np.int64]:
        """Of sentences that have no legal labelling, the token at which none goes on. sets: of labels, flags;
        of: that of every token, -1: all labels.
        """
        return stuck_labels(starts, sets, of, self.start, self.end, self.follow)

    @property
    def is_free(self) -> bool:
        return bool(self.start.all() and self.end.all() and self.follow.all())

    @property
    def is_complete(self) -> bool:
        """Whether a label may stand alone and follow itself, so that a sentence of any length has a legal labelling.

        In every encoding of chunks, that is the label outside of them.
        """
        return bool((self.start & self.end & self.follow[:: len(self.start) + 1]).any())


@dataclass(frozen=True, eq=False)
class ChainModel:
    features: Features
    weights: ChainWeights | ChainWeights64
    labels: tuple[str, ...]
    legality: Legality

    structure = "chain"
    levelled = True  # states of one position have equally many steps behind them

    @classmethod
    def blank(
        cls, features: Features, labels: tuple[str, ...], legality: Legality, *, single: bool = True
    ) -> ChainModel:
        """A model that has learnt nothing."""
        kind: Any = ChainWeights if single else ChainWeights64
        return cls(features, kind(len(labels), legality.start, legality.end, legality.follow), labels, legality)

    def with_weights(self, weights: Any, features: Any = None) -> ChainModel:
        """The same with other weights and, where they are given, other features."""
        return ChainModel(features or self.features, weights, self.labels, self.legality)

    def with_legality(self, legality: Legality) -> ChainModel:
        """The same weights, with other labels that may follow each other."""
        weights = self.weights.constrained(legality.start, legality.end, legality.follow)
        return ChainModel(self.features, weights, self.labels, legality)

    @property
    def single(self) -> bool:
        """Whether its weights are in single precision."""
        return isinstance(self.weights, ChainWeights)

    def decode(
        self, instances: Instances, decoder: Decoder = EXACT, progress: Callable[[int], None] | None = None
    ) -> Ids:
        """The label ids of every token."""
        if decoder.queue == "exact" and exact_refusal(self.features, len(self.labels)):
            decoder = replace(decoder, queue="beam", beam=unbounded, beam_by="operations")  # merged, and so exact
        return self.weights.decode(self.features.index, instances, vars(decoder), progress)

    @property
    def local(self) -> bool:
        """Whether every step's scores are normalised by themselves: the model is not linear."""
        return self.weights.local

    @cached_property
    def folded(self) -> FoldedModel | NamedModel | None:
        """The model in its fastest form, where it has one."""
        if not isinstance(self.weights, ChainWeights) or self.local or exact_refusal(self.features, len(self.labels)):
            return None
        form = FoldedModel if foldable(self.features) else NamedModel if is_named(self.features) else None
        return None if form is None else form(self.features, self.weights)

    def predict(self, corpus: Corpus, decoder: Decoder = EXACT, threads: int = 1) -> Ids:
        if decoder.queue == EXACT.queue and self.folded is not None and corpus.known is None:
            return self.folded.predict(corpus, threads)
        return self.decode(self._instances(corpus), decoder)

    def _instances(self, corpus: Corpus) -> Instances:
        """With the labels that are known, which decoding keeps to."""
        instances = self.features.instances(corpus)
        if corpus.known is not None:
            allow(instances, corpus.known.sets, corpus.known.of)
            stuck = self.legality.stuck(corpus.starts, corpus.known.sets, corpus.known.of)
            if len(stuck):
                raise corpus.known.impossible(corpus, int(stuck[0]))
        return instances

    def confidences(
        self, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], *, chunks: bool
    ) -> tuple[Ids, NDArray[np.float64]]:
        """The label ids of every token and, at every temperature, how sure the search is of them: [N], and [temperatures, 1, N].

        Of chunks, a token has the confidence of its chunk. Of exact decoding it is summed over all labellings;
        where dynamic programming cannot do that, by a beam without a limit.
        """
        instances, given = self._instances(corpus), np.empty(0, np.int32)
        if decoder.queue == EXACT.queue and exact_refusal(self.features, len(self.labels)) is None:
            found = self.decode(instances, decoder)
            rows = [self._summed(instances, t, found, chunks=chunks)[2] for t in temperatures]
            return found, np.stack(rows)[:, None, :]
        if decoder.queue == EXACT.queue:
            given = self.decode(instances, decoder)  # of labellings of equal score, the beam may find another
            decoder = replace(decoder, queue="beam", beam=unbounded, beam_by="operations")
        said, at = self._chunk_flags(chunks), np.array(temperatures, np.float64)
        kept = self.weights.confidences(self.features.index, instances, vars(decoder), *said, at, given)
        return kept[0], kept[1].reshape(len(temperatures), 1, -1)

    def probabilities(self, corpus: Corpus, temperature: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of every label at every token, over all legal labellings, [N, labels]; and log Z of every sentence.

        A score counts 1 / temperature.
        """
        refusal = exact_refusal(self.features, len(self.labels))
        if refusal is not None:
            raise UnsupportedError(
                f"Probabilities of labels are summed over all labellings by dynamic programming: {refusal[0]}.",
                remedy="predict_confidence gives that of what was predicted; or train with templates that read "
                f"label[-1] and label[-{exact_order}] only.",
            )
        log_z, rows, _ = self._summed(self._instances(corpus), temperature, np.empty(0, np.int32), chunks=False)
        return rows.reshape(-1, len(self.labels)), log_z

    def _summed(self, instances: Instances, temperature: float, found: Ids, *, chunks: bool) -> Any:
        said = self._chunk_flags(chunks)
        return self.weights.probabilities(self.features.index, instances, found, *said, temperature)

    def _chunk_flags(self, chunks: bool) -> tuple[Ids, Flags]:
        from riata.data.chunk_boundaries import chunk_flags

        labels = len(self.labels)
        no_chunks = np.arange(labels, dtype=np.int32), np.zeros(labels**2, np.uint8)
        return chunk_flags(self.labels) if chunks else no_chunks

    def nbest(self, corpus: Corpus, n: int) -> list[list[tuple[Ids, float]]]:
        """For every sentence the n best labellings, as ids, with their scores; fewer where fewer are legal."""
        counts, labels, scores = self.weights.nbest(self.features.index, self._instances(corpus), n)
        lengths = np.repeat(np.diff(corpus.starts), counts)
        behind = np.cumsum(lengths)
        each = [(labels[end - n : end], score) for end, n, score in zip(behind, lengths, scores.tolist(), strict=True)]
        ends = np.cumsum(counts).tolist()
        return [each[end - count : end] for count, end in zip(counts.tolist(), ends, strict=True)]

    def scores_of(self, instances: Instances, labels: Ids) -> NDArray[np.float64]:
        """The score of given labels, sentence by sentence: [S]."""
        return self.weights.scores_of(self.features.index, instances, labels)

    def never_gives(self, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """The tokens whose given label no search can give: [N]. Labels that may not follow each other have a score of -inf already."""
        return np.zeros(len(labels), bool)

    def check_nbest(self, decoder: Decoder) -> None:
        """Refuses lists of the best labellings where they would not be exact."""
        refusal = exact_refusal(self.features, len(self.labels))
        if refusal is not None:
            raise UnsupportedError(
                f"The n best labellings are found exactly: {refusal[0]}.",
                remedy=f"Use predict, or train with templates that read label[-1] and label[-{exact_order}] only.",
            )
        check_exact(decoder)

    def exact_is_cheap(self, longest: int) -> bool:
        """Whether the best labels of a sentence of so many tokens are soon found for certain.

        A chain that looks back over `order` labels has labels ** order states at a token, which for order 1 are always few.
        """
        order = self.features.program.order
        return order <= 1 or len(self.labels) ** order * longest <= MOST_STATES

    def margins(self, instances: Instances, truth: Ids, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What a search with the queue of these settings shows of its margins. truth: the true labels, [N]."""
        found: dict[str, Any] = self.weights.margins(self.features.index, instances, truth, dict(settings))
        return found

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without n-grams and values that carry no weight."""
        sparse = self.weights.pack(self.features.index)
        program = self.features.program
        header = {
            "labels": list(self.labels),
            "templates": [str(template) for template in self.features.templates],
            "attributes": [list(attribute) for attribute in program.attributes],
            "lists": list(self.features.lists),
            "bits": self.features.bits,
        }
        if self.local:
            header["local"] = True
        arrays: Arrays = {"start": self.legality.start, "end": self.legality.end, "follow": self.legality.follow}
        _store_rows(arrays, "transition", sparse["transition"])
        for i, words in enumerate(self.features.lists.values()):
            store_texts(arrays, f"list/{i}", words.texts())
        if self.features.bits:
            arrays["table/places"] = narrow(sparse["kept_given"])
            _store_rows(arrays, "table/rows", sparse["given"])
            return header, arrays
        for a, (alphabet, kept) in enumerate(zip(self.features.alphabets, sparse["kept_values"], strict=True)):
            store_texts(arrays, f"attribute/{a}", [alphabet.text(int(i)) for i in kept])
        for column, frequencies in self.features.frequencies.items():
            store_texts(arrays, f"frequency/{column}", frequencies.words.texts())
            arrays[f"frequency/{column}/classes"] = frequencies.classes
        store_texts(arrays, "given", [self.features.given.text(int(i)) for i in sparse["kept_given"]])
        _store_rows(arrays, "given/rows", sparse["given"])
        if program.history:
            history = sparse["history"]
            for name in ("slots", "ngrams", "labels"):
                arrays[f"history/{name}"] = narrow(history[name])
            _store_rows(arrays, "history/rows", history["rows"])
        for f, family in enumerate(sparse["families"]):
            if program.families[f][0] >= 0:
                arrays[f"family/{f}/parents"] = narrow(family["parents"])
            arrays[f"family/{f}/values"] = narrow(family["values"])
            arrays[f"family/{f}/order"] = narrow(family["order"])
            _store_rows(arrays, f"family/{f}/node", family["node"])
            _store_rows(arrays, f"family/{f}/edge", family["edge"])
        return header, arrays


class StoredChainModel(ChainModel):
    """A model as it is in its file, checked.

    What takes time or memory is made when it is first needed: index and weights, of which most are zero.
    """

    @classmethod
    def of(
        cls, features: Features, stored: StoredChain, labels: tuple[str, ...], legality: Legality, *, local: bool
    ) -> StoredChainModel:
        made = cls.__new__(cls)
        made.__dict__.update(
            features=features, labels=labels, legality=legality, _stored=stored, _local=local, _left=MOST_FEW_TOKENS
        )
        if stored.ordered:
            features.fill_later(stored.enter)
        else:
            stored.enter(features.index)
        return made

    @cached_property
    def weights(self) -> ChainWeights:  # of the class above it is set when a model is made
        return self._weights_of(self.features.index, self.__dict__["_stored"].weights)

    def predict(self, corpus: Corpus, decoder: Decoder = EXACT, threads: int = 1) -> Ids:
        if decoder.queue == EXACT.queue and corpus.known is None and "weights" not in vars(self):
            found = self._predict_few(corpus)
            if found is not None:
                return found
        return super().predict(corpus, decoder, threads)

    def _predict_few(self, corpus: Corpus) -> Ids | None:
        """The labels of the first few tokens, with the weights of their own n-grams: all others stay in the file.

        None where there are more.
        """
        features = self.features
        left = self.__dict__["_left"] - corpus.tokens
        if left < 0 or not self.__dict__["_stored"].ordered or not foldable(features) or features.program.history:
            return None
        self.__dict__["_left"] = left
        index = features.empty_index()
        instances = index.extend(features.values(corpus), corpus.starts, 1, 1)
        if weight_bytes(features, ngram_sizes(features, index), len(self.labels)) > MOST_FEW_BYTES:
            return None
        weights = self._weights_of(index, self.__dict__["_stored"].weights_of)
        return weights.decode(index, instances, vars(EXACT))

    def _weights_of(
        self, index: FeatureIndex, unfolded: Callable[[FeatureIndex, ChainWeights], ChainWeights]
    ) -> ChainWeights:
        blank: Any = ChainModel.blank(self.features, self.labels, self.legality).weights
        try:
            weights = unfolded(index, blank)
        except MemoryError:
            raise ModelFileError("the model asks for more memory than there is.") from None
        weights.local = self.__dict__["_local"]
        return weights


def exact_refusal(features: Features, labels: int) -> tuple[str, Template] | None:
    """Why dynamic programming cannot find the best labels, and the template that is to blame; None: it can."""
    program = features.program
    if features.bits and program.history:
        template = program.history_templates[0]
        return (
            f"'{template}' reads earlier labels, and with bits exact search does not know which of them carry weight",
            template,
        )
    if program.order <= 1:
        return None
    furthest = program.history_templates[[back[-1] for _, _, back in program.history].index(program.order)]
    if program.order > exact_order:
        return (
            f"'{furthest}' reads label[-{program.order}], and exact search looks back no further than label[-{exact_order}]",
            furthest,
        )
    if labels > most_exact_labels:
        return (
            f"'{furthest}' reads label[-{program.order}], which exact search does for up to {most_exact_labels} labels, not for {labels:,}",
            furthest,
        )
    return None


def check_exact(decoder: Decoder) -> None:
    """Refuses lists of the best outputs from what a search happens to keep."""
    if decoder.queue != EXACT.queue:
        raise UnsupportedError(
            f"The n best labellings are found exactly; the queue {decoder.queue!r} keeps what a search happens to meet.",
            remedy="set_params(queue='exact', beam=None).",
        )


def from_parts(header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> ChainModel:
    """The inverse of to_parts. Raises ModelFileError on anything inconsistent, however it came about."""
    labels = read_strings(header, "labels")
    if not labels or len(set(labels)) != len(labels) or len(labels) > MOST_LABELS:
        raise ModelFileError("the model's labels are inconsistent")
    count = len(labels)
    legality = Legality(
        _flags(arrays, "start", count), _flags(arrays, "end", count), _flags(arrays, "follow", count * count)
    )
    if not legality.is_complete:
        raise ModelFileError("the model's labels are inconsistent: not every sentence has a legal labelling")
    lists = read_lists(header, arrays)
    features = Features(
        read_templates(header, parse, {*functions, NUMBER, FREQUENCY, *attribute_names(lists)}),
        functions,
        lists,
        _bits(header),
    )
    if set(features.lists) != set(lists):
        raise ModelFileError("the model's lists are inconsistent")
    _check_order(features, count, ModelFileError)
    local = header.get("local", False)
    if not isinstance(local, bool) or (local and features.program.history):
        raise ModelFileError("the model's normalisation is inconsistent")
    if features.bits:
        table = _table(arrays, features, count)
        return StoredChainModel.of(features, table, tuple(labels), legality, local=local)
    features.frequencies = {
        c: read_frequencies(arrays, c) for name, c in features.program.attributes if name == FREQUENCY
    }
    features.alphabets = [read_alphabet(arrays, f"attribute/{a}") for a in range(len(features.alphabets))]
    features.given = read_alphabet(arrays, "given")
    sparse: dict[str, Any] = {
        "families": [_family(arrays, f, root=spec[0] < 0) for f, spec in enumerate(features.program.families)],
        "kept_given": NONE,
        "given": _rows(arrays, "given/rows"),
        "transition": _rows(arrays, "transition"),
        "history": _history(arrays, features.program.history != ()),
    }
    need = weight_bytes(features, [len(family["values"]) for family in sparse["families"]], count)
    need += 4 * row_width(count) * len(sparse["history"]["slots"])
    refuse_huge(need)
    sizes = [len(alphabet) for alphabet in features.alphabets]
    if features.program.history:  # they are checked as they are entered
        blank: Any = ChainModel.blank(features, tuple(labels), legality)
        weights = unpack_chain(features.index, sparse, blank.weights, sizes, len(features.given))
        return ChainModel(features, weights, tuple(labels), legality)
    stored = StoredChain(features.index, sparse, count, sizes, len(features.given))
    return StoredChainModel.of(features, stored, tuple(labels), legality, local=local)


def weight_bytes(features: Features, sizes: Sequence[int], labels: int) -> int:
    """What the weights of so many n-grams in each family take in memory."""
    if features.bits:
        return 4 << features.bits
    slots = [[0, 0] for _ in sizes]
    for family, _, edge in features.program.reads:
        slots[family][edge] += 1
    rows = sum(size * (node + edge * labels) for size, (node, edge) in zip(sizes, slots, strict=True))
    return 4 * row_width(labels) * (rows + labels + len(features.given))


def ngram_sizes(features: Features, index: FeatureIndex | None = None) -> list[int]:
    """How many n-grams each family has, in this index or in their own."""
    index = features.index if index is None else index
    return [index.size(family) for family in range(len(features.program.families))]


def row_width(labels: int) -> int:
    """How many numbers a row of weights holds, one per label."""
    return -(-labels // 8) * 8


def _check_order(features: Features, labels: int, error: type[RiataError]) -> None:
    """States are told apart by the labels that templates read, packed into one number."""
    order = features.program.order
    if (labels + 1) ** order >= 1 << 62:
        raise error(
            f"templates read label[-{order}], which is too far back for {labels:,} labels.",
            remedy="Read fewer labels back.",
        )


def check_memory(features: Features, labels: int, copies: int = 1) -> None:
    """Refuses, before training, a model that could not be loaded again, or not be trained in so many copies."""
    _check_order(features, labels, DataError)
    sizes = ngram_sizes(features)
    need = weight_bytes(features, sizes, labels)
    if need > MOST_MEMORY:
        raise DataError(
            f"{labels:,} labels and {sum(sizes):,} n-grams need {need / 2**30:.1f} GiB of weights, "
            f"more than the {MOST_MEMORY >> 30} GiB allowed.",
            remedy="Use a smaller template, a higher cutoff, or fewer labels.",
        )
    if copies * need > MOST_MEMORY:
        raise DataError(
            f"{copies:,} shards need {copies * need / 2**30:.1f} GiB of weights, {need / 2**30:.1f} each, "
            f"more than the {MOST_MEMORY >> 30} GiB allowed.",
            remedy="Use fewer shards, a smaller template, or a higher cutoff.",
        )


def _bits(header: Mapping[str, Any]) -> int:
    bits = header.get("bits")
    if not isinstance(bits, int) or isinstance(bits, bool) or not (bits == 0 or FEWEST_BITS <= bits <= MOST_BITS):
        raise ModelFileError("the model's bits are missing or inconsistent")
    return bits


def _table(arrays: Arrays, features: Features, labels: int) -> StoredChain:
    """The weights of a model whose features are hashed."""
    none = {"values": NONE, "parents": NONE, "node": NO_ROWS, "edge": NO_ROWS}
    if any(name == FREQUENCY for name, _ in features.program.attributes):
        raise ModelFileError("the model's templates are inconsistent")
    refuse_huge(weight_bytes(features, [], labels))
    sparse = {
        "families": [none for _ in features.program.families],
        "kept_given": read_counts(arrays, "table/places"),
        "given": _rows(arrays, "table/rows"),
        "transition": _rows(arrays, "transition"),
        "history": _history(arrays, False),
    }
    return StoredChain(features.index, sparse, labels, [0 for _ in features.alphabets], 0)


def _store_rows(arrays: Arrays, name: str, rows: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]) -> None:
    counts, columns, values = rows
    arrays[f"{name}/counts"] = narrow(counts)
    arrays[f"{name}/columns"] = narrow(columns)
    arrays[f"{name}/values"] = values


def _rows(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    values = read_array(arrays, f"{name}/values", real=True)
    return (
        read_counts(arrays, f"{name}/counts"),
        read_counts(arrays, f"{name}/columns"),
        values.astype(np.float32, copy=False),
    )


def _history(arrays: Arrays, has: bool) -> dict[str, Any]:
    if not has:
        return {"slots": NONE, "ngrams": NONE, "labels": NONE, "rows": NO_ROWS}
    numbers = {name: read_counts(arrays, f"history/{name}") for name in ("slots", "ngrams", "labels")}
    return {**numbers, "rows": _rows(arrays, "history/rows")}


def _family(arrays: Arrays, family: int, *, root: bool) -> dict[str, Any]:
    name = f"family/{family}"
    return {
        "parents": NONE if root else read_counts(arrays, f"{name}/parents"),
        "values": read_counts(arrays, f"{name}/values"),
        "order": read_counts(arrays, f"{name}/order") if f"{name}/order" in arrays else NONE,
        "node": _rows(arrays, f"{name}/node"),
        "edge": _rows(arrays, f"{name}/edge"),
    }


def _flags(arrays: Arrays, name: str, size: int) -> Flags:
    flags = read_array(arrays, name)
    if flags.dtype != np.uint8 or flags.size != size or (flags > 1).any():
        raise ModelFileError(f"the model's array {name!r} is inconsistent")
    return flags.copy()
