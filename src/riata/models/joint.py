"""A trained model of tags and chunk labels that are decided together. Its labels are pairs, one per token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata._core import (
    Instances,
    JointWeights,
    JointWeights64,
)
from riata.data.chunk_boundaries import chunk_flags
from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.pairs import BETWEEN, joined_text
from riata.data.types import Corpus, Ids
from riata.errors import DataError, ModelFileError, UnsupportedError
from riata.features.attributes import Attribute
from riata.features.dictionary import TagDictionary
from riata.features.frequency import FREQUENCY
from riata.features.joint import OUTPUTS, JointFeatures, parse
from riata.features.lists import attribute_names
from riata.models.arrays import narrow, read_alphabet, read_array, read_strings, store_texts
from riata.models.chain import EXACT, MOST_LABELS, Decoder, Legality, row_width
from riata.models.container import Arrays
from riata.models.feature_parts import (
    MOST_MEMORY,
    feature_header,
    read_features,
    read_ids,
    read_lists,
    read_templates,
    read_weights,
    store_features,
    store_weights,
)

NAME = "joint"
MOST_PAIRS = 1 << 18  # of a tag and a chunk label


@dataclass(frozen=True)
class JointLabels:
    """The tags and the chunk labels, each most frequent first. A pair is numbered tag x chunk labels + chunk label."""

    tags: tuple[str, ...]
    chunks: tuple[str, ...]
    encoding: Encoding  # of the chunk labels

    @cached_property
    def pairs(self) -> tuple[str, ...]:
        return tuple(joined_text(tag, chunk) for tag in self.tags for chunk in self.chunks)

    def legality(self) -> Legality:
        return Legality(*self.encoding.allowed(self.chunks))


@dataclass(frozen=True, eq=False)
class JointModel:
    features: JointFeatures
    weights: JointWeights | JointWeights64
    parts: JointLabels

    structure = NAME
    levelled = True  # states of one position have equally many steps behind them
    folded = None  # there is no faster form

    @classmethod
    def blank(cls, features: JointFeatures, parts: JointLabels, *, single: bool = True) -> JointModel:
        """A model that has learnt nothing."""
        kind: Any = JointWeights if single else JointWeights64
        legal = parts.legality()
        flags = (legal.start, legal.end, legal.follow)
        return cls(features, kind(features.native, len(parts.tags), *flags, features.ahead), parts)

    def with_weights(self, weights: Any, features: Any = None) -> JointModel:
        """The same with other weights and, where they are given, other features."""
        return JointModel(features or self.features, weights, self.parts)

    @property
    def single(self) -> bool:
        """Whether its weights are in single precision."""
        return isinstance(self.weights, JointWeights)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.parts.pairs

    def decode(self, instances: Instances, decoder: Decoder, progress: Callable[[int], None] | None = None) -> Ids:
        """The number of the pair of every token."""
        return self.weights.decode(self.features.index, instances, vars(decoder), progress)

    def predict(self, corpus: Corpus, decoder: Decoder = EXACT, threads: int = 1) -> Ids:
        return self.decode(self.features.instances(corpus, threads), decoder)

    def scores_of(self, instances: Instances, labels: Ids) -> NDArray[np.float64]:
        """The score of given pairs, sentence by sentence: [S]."""
        return self.weights.scores_of(self.features.index, instances, labels)

    def never_gives(self, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """The tokens whose given tag the dictionary does not allow: [N]."""
        words, tags = corpus.columns[0], labels // len(self.parts.chunks)
        pairs, place = np.unique(words.ids.astype(np.int64) * len(self.parts.tags) + tags, return_inverse=True)
        texts = words.alphabet.texts_of(pairs // len(self.parts.tags))
        allowed = self.features.dictionary.of
        never = [int(pair) % len(self.parts.tags) not in allowed(text) for pair, text in zip(pairs, texts, strict=True)]
        return np.array(never, bool)[place]

    def exact_is_cheap(self, longest: int) -> bool:
        return False

    def margins(self, instances: Instances, truth: Ids, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What a search with the queue of these settings shows of its margins. truth: the true pairs, [N]."""
        found: dict[str, Any] = self.weights.margins(self.features.index, instances, truth, dict(settings))
        return found

    def probabilities(self, corpus: Corpus, temperature: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        raise UnsupportedError(
            f"The structure {NAME!r} is searched by a beam: nothing sums over all of its outputs, and so none has a probability.",
            remedy="predict_confidence gives the share of what the search kept; structure='chain' has probabilities.",
        )

    def confidences(
        self, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], *, chunks: bool
    ) -> tuple[Ids, NDArray[np.float64]]:
        """As of a chain, of the tag and of the chunk: [temperatures, 2, N]."""
        instances, flags = self.features.instances(corpus), chunk_flags(self.parts.chunks)
        at, nothing = np.array(temperatures, np.float64), np.empty(0, np.int32)
        codes, values = self.weights.confidences(self.features.index, instances, vars(decoder), *flags, at, nothing)
        return codes, values.reshape(len(temperatures), 2, -1)

    def check_nbest(self, decoder: Decoder) -> None:
        """Refuses lists of the best, which would have to be exact."""
        raise _no_lists()

    def nbest(self, corpus: Corpus, n: int) -> list[list[tuple[Ids, float]]]:
        raise _no_lists()

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays; weights that are zero are left out."""
        features, dictionary = self.features, self.features.dictionary
        header = {
            "structure": NAME,
            "tags": list(self.parts.tags),
            "chunks": list(self.parts.chunks),
            "chunk_encoding": self.parts.encoding.name,
            **feature_header(features),
            "lookahead": features.ahead,
            "dictionary": dictionary.least,
        }
        arrays: Arrays = {}
        store_features(features, arrays)
        seen = sorted(dictionary.counts.items())
        store_texts(arrays, "dictionary/words", list(dict.fromkeys(word for (word, _), _ in seen)))
        new = [i == 0 or word != seen[i - 1][0][0] for i, ((word, _), _) in enumerate(seen)]
        arrays["dictionary/new"] = np.array(new, np.uint8)  # whether an entry is the first of its word
        arrays["dictionary/tags"] = narrow(np.array([tag for (_, tag), _ in seen], np.int64))
        arrays["dictionary/counts"] = narrow(np.array([count for _, count in seen], np.int64))
        slots, ngrams, values = self.weights.rows()
        arrays["rows/slots"], arrays["rows/ngrams"] = narrow(slots), narrow(ngrams + 1)  # 0: none
        arrays["rows/values"] = narrow(values)
        store_weights(self.weights.flat(), arrays)
        return header, arrays


def _no_lists() -> UnsupportedError:
    return UnsupportedError(
        f"The structure {NAME!r} has no lists of the n best.", remedy="Tagger and Chunker have that."
    )


def check_memory(features: JointFeatures, parts: JointLabels) -> None:
    """Refuses, before training, a model that could not be loaded again."""
    widths = dict(zip(OUTPUTS, (row_width(len(parts.tags)), row_width(len(parts.chunks))), strict=True))
    need = 0
    for template, family, _ in features.joint.slots:
        if not template.tags and not template.chunks:
            need += 4 * widths[template.output] * features.index.size(family)
    if need > MOST_MEMORY:
        raise DataError(
            f"{len(parts.tags):,} tags, {len(parts.chunks):,} chunk labels and these features need {need / 2**30:.1f} GiB of weights, "
            f"more than the {MOST_MEMORY >> 30} GiB allowed.",
            remedy="Use a smaller template, or a higher cutoff.",
        )


def from_parts(header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> JointModel:
    """The inverse of to_parts. Raises ModelFileError on anything inconsistent."""
    parts = _labels(header)
    ahead, lists = header.get("lookahead"), read_lists(header, arrays)
    if not isinstance(ahead, bool):
        raise ModelFileError("the model's look-ahead is missing or inconsistent")
    templates = read_templates(header, parse, {*functions, FREQUENCY, *attribute_names(lists)})
    features = JointFeatures(templates, functions, lists, ahead, _dictionary(header, arrays, parts.tags))
    read_features(features, arrays)
    model = JointModel.blank(features, parts)
    weights: Any = model.weights
    rows = (read_ids(arrays, "rows/slots"), read_ids(arrays, "rows/ngrams", -1), read_ids(arrays, "rows/values"))
    weights.set_rows(features.index, *rows)
    weights.set_flat(read_weights(arrays, weights.size))
    return model


def _labels(header: Mapping[str, Any]) -> JointLabels:
    tags, chunks, name = read_strings(header, "tags"), read_strings(header, "chunks"), header.get("chunk_encoding")
    if name not in registry.names("encoding"):
        raise ModelFileError(f"the model's encoding {name!r} is unknown")
    encoding: Encoding = registry.get("encoding", name)
    for labels in (tags, chunks):
        several = len(set(labels)) != len(labels) or any(BETWEEN in label for label in labels)
        if several or not 0 < len(labels) <= MOST_LABELS:
            raise ModelFileError("the model's labels are inconsistent")
    if len(tags) * len(chunks) > MOST_PAIRS or OUTSIDE not in chunks or not all(map(encoding.is_tag, chunks)):
        raise ModelFileError("the model's chunk labels are inconsistent")
    return JointLabels(tuple(tags), tuple(chunks), encoding)


def _dictionary(header: Mapping[str, Any], arrays: Arrays, tags: tuple[str, ...]) -> TagDictionary:
    least, words = header.get("dictionary"), read_alphabet(arrays, "dictionary/words").texts()
    new, of, counts = (read_array(arrays, f"dictionary/{name}").astype(np.int64) for name in ("new", "tags", "counts"))
    word = np.cumsum(new) - 1
    ok = isinstance(least, int) and not isinstance(least, bool) and 0 <= least < 1 << 31
    ok = ok and len(new) == len(of) == len(counts) and ((new == 0) | (new == 1)).all() and of.max(initial=0) < len(tags)
    if not ok or word.max(initial=-1) != len(words) - 1 or (len(new) and not new[0]):
        raise ModelFileError("the model's dictionary of tags is inconsistent")
    seen = {(words[w], t): n for w, t, n in zip(word.tolist(), of.tolist(), counts.tolist(), strict=True)}
    return TagDictionary(tags, int(least or 0), seen)
