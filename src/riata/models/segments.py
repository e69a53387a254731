"""A trained model of labelled segments. It speaks of tags, as a chain does: segments are its own affair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata._core import (
    Instances,
    SegmentWeights,
    SegmentWeights64,
    allow,
    segment_probabilities,
    stuck_segments,
    unbounded,
)
from riata.data.encodings.base import OUTSIDE
from riata.data.segmentation import Segmentation
from riata.data.types import Corpus, Ids
from riata.errors import DataError, ModelFileError, UnsupportedError
from riata.features.attributes import Attribute
from riata.features.frequency import FREQUENCY
from riata.features.lists import attribute_names
from riata.features.segments import SegmentFeatures, parse
from riata.models.arrays import narrow, read_strings
from riata.models.chain import (
    EXACT,
    MOST_LABELS,
    Decoder,
    check_exact,
    row_width,
)
from riata.models.container import Arrays
from riata.models.feature_parts import (
    MOST_MEMORY,
    feature_header,
    read_features,
    read_ids,
    read_lists,
    read_templates,
    read_weights,
    refuse_huge,
    store_features,
    store_weights,
)
from riata.models.segment_pruning import Rows, pruned

NAME = "segments"
NO_FLAGS = (np.empty(0, np.int32), np.empty(0, np.uint8))  # of chunks: segments are such already


@dataclass(frozen=True, eq=False)
class SegmentModel:
    features: SegmentFeatures
    weights: SegmentWeights | SegmentWeights64
    segmentation: Segmentation

    structure = NAME
    levelled = False  # a position can be reached by more or fewer segments
    folded = None  # there is no faster form

    @classmethod
    def blank(
        cls, features: SegmentFeatures, segmentation: Segmentation, longest: int, *, single: bool = True
    ) -> SegmentModel:
        """A model that has learnt nothing. longest: tokens of a segment."""
        kind: Any = SegmentWeights if single else SegmentWeights64
        weights = kind(features.native, len(segmentation.types), segmentation.outside, longest)
        return cls(features, weights, segmentation)

    def with_weights(self, weights: Any, features: Any = None) -> SegmentModel:
        """The same with other weights and, where they are given, other features."""
        return SegmentModel(features or self.features, weights, self.segmentation)

    @property
    def single(self) -> bool:
        """Whether its weights are in single precision."""
        return isinstance(self.weights, SegmentWeights)

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags that it can give."""
        return self.segmentation.tags

    def decode(
        self, instances: Instances, decoder: Decoder = EXACT, progress: Callable[[int], None] | None = None
    ) -> Ids:
        """The tag ids of every token."""
        return self.segmentation.tag_ids(self._segments(instances, decoder, progress), instances.starts())

    def _segments(self, instances: Instances, decoder: Decoder, progress: Callable[[int], None] | None = None) -> Ids:
        """At the first token of every segment its code."""
        if decoder.queue == EXACT.queue and not self.features.native.exact:
            decoder = replace(decoder, queue="beam", beam=unbounded, beam_by="operations")  # merged, and so exact
        return self.weights.decode(self.features.index, instances, vars(decoder), progress)

    def tags_of(self, segments: Sequence[tuple[int, int]], tokens: int) -> tuple[str, ...]:
        """The tags of one sentence, from its segments: first token and code."""
        codes = np.full(tokens, -1, np.int32)
        for start, code in segments:
            codes[start] = code
        return tuple(self.labels[i] for i in self.segmentation.tag_ids(codes, np.array([0, tokens])))

    def predict(self, corpus: Corpus, decoder: Decoder = EXACT, threads: int = 1) -> Ids:
        return self.decode(self._instances(corpus, threads), decoder)

    def _instances(self, corpus: Corpus, threads: int = 1) -> Instances:
        """With the tags that are known, which decoding keeps to."""
        instances = self.features.instances(corpus, threads)
        if corpus.known is not None:
            weights, known = self.weights, (self.segmentation.role_sets(corpus.known.sets), corpus.known.of)
            allow(instances, *known)
            stuck = stuck_segments(corpus.starts, *known, weights.labels, weights.outside, weights.most)
            if len(stuck):
                longest = f"{weights.most} token{'s' * (weights.most != 1)}"
                told = replace(corpus.known, rules=f"{corpus.known.rules}, with chunks of at most {longest}")
                raise told.impossible(corpus, int(stuck[0]))
        return instances

    def scores_of(self, instances: Instances, labels: Ids) -> NDArray[np.float64]:
        """The score of given tags, sentence by sentence: [S]."""
        codes = self.segmentation.codes(self.labels, labels, instances.starts())
        return self.weights.scores_of(self.features.index, instances, codes)

    def never_gives(self, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """The tokens at which a segment begins that is longer than any that the search tries, or whose tag no segment has there: [N]."""
        codes = self.segmentation.codes(self.labels, labels, corpus.starts)
        never: NDArray[np.bool_] = codes // len(self.segmentation.types) >= self.weights.most
        never |= self.segmentation.tag_ids(codes, corpus.starts) != labels
        return never

    def exact_is_cheap(self, longest: int) -> bool:
        return self.features.native.exact

    def margins(self, instances: Instances, truth: Ids, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What a search with the queue of these settings shows of its margins. truth: the true tags, [N]."""
        codes = self.segmentation.codes(self.labels, truth, instances.starts())
        found: dict[str, Any] = self.weights.margins(self.features.index, instances, codes, dict(settings))
        return found

    def probabilities(self, corpus: Corpus, temperature: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of every tag at every token, over all segmentations, [N, tags]; and log Z of every sentence. A score counts 1 / temperature."""
        self._check_exact_reads(
            "Probabilities are summed over all segmentations", "predict_confidence gives that of what was predicted"
        )
        table = self.segmentation.tag_table.ravel()
        log_z, rows = segment_probabilities(
            self.weights,
            self.features.index,
            self._instances(corpus),
            table,
            len(self.labels),
            temperature,
        )
        return rows.reshape(-1, len(self.labels)), log_z

    def confidences(
        self, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], *, chunks: bool
    ) -> tuple[Ids, NDArray[np.float64]]:
        """As of a chain: a token has the confidence of its segment."""
        instances, given = self._instances(corpus), np.empty(0, np.int32)
        if decoder.queue == EXACT.queue:
            given = self._segments(instances, decoder)
            decoder = replace(decoder, queue="beam", beam=unbounded, beam_by="prefix")
        index, at = self.features.index, np.array(temperatures, np.float64)
        codes, values = self.weights.confidences(index, instances, vars(decoder), *NO_FLAGS, at, given)
        return self.segmentation.tag_ids(codes, instances.starts()), values.reshape(len(temperatures), 1, -1)

    def nbest(self, corpus: Corpus, n: int) -> list[list[tuple[Ids, float]]]:
        """For every sentence the n best segmentations, as ids of tags, with their scores; fewer where there are fewer."""
        instances = self._instances(corpus)
        counts, codes, scores = self.weights.nbest(self.features.index, instances, n)
        lengths = np.repeat(np.diff(corpus.starts), counts)
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        tags = np.split(self.segmentation.tag_ids(codes, starts), starts[1:-1])
        every = list(zip(tags, scores.tolist(), strict=True))
        ends = np.cumsum(counts).tolist()
        return [every[end - count : end] for count, end in zip(counts.tolist(), ends, strict=True)]

    def check_nbest(self, decoder: Decoder) -> None:
        """Refuses lists of the best where they would not be exact."""
        self._check_exact_reads("The n best segmentations are found exactly", "Use predict")
        check_exact(decoder)

    def _check_exact_reads(self, what: str, instead: str) -> None:
        beyond = [template for template in self.features.templates if not template.exact]
        if beyond:
            raise UnsupportedError(
                f"{what}, which '{beyond[0]}' does not allow: it reads further back than label[-1].",
                remedy=f"{instead}; or train with templates that read label[-1] only, as the default does with queue='exact'.",
            )

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without rows, n-grams and values that carry no weight."""
        features, weights = self.features, self.weights
        width = row_width(len(self.segmentation.types))
        families = [features.index.pairs(f) for f in range(len(features.program.families))]
        rows = weights.flat().astype(np.float32, copy=False).reshape(-1, width)
        kept = pruned(features.segments, families, weights.roots(), weights.rows(), rows)
        header = {
            "structure": NAME,
            "labels": list(self.segmentation.types),
            **feature_header(features),
            "longest": weights.most,
            "segment_encoding": None if self.segmentation.encoding is None else self.segmentation.encoding.name,
        }
        arrays: Arrays = {}
        store_features(features, arrays, kept.families, kept.values)
        arrays["roots/slots"], arrays["roots/codes"] = map(narrow, kept.roots)
        parents, values = kept.rows
        arrays["rows/parents"], arrays["rows/values"] = narrow(parents + len(kept.roots[0])), narrow(values)
        store_weights(kept.weights.reshape(-1), arrays)
        return header, arrays


def check_memory(features: SegmentFeatures, types: int) -> None:
    """Refuses, before training, a model that could not be loaded again."""
    rows = sum(features.index.size(family) for family in features.segments.families if family >= 0)
    need = 4 * row_width(types) * rows
    if need > MOST_MEMORY:
        raise DataError(
            f"{types:,} labels and {rows:,} features need {need / 2**30:.1f} GiB of weights, "
            f"more than the {MOST_MEMORY >> 30} GiB allowed.",
            remedy="Use a smaller template, or a higher cutoff.",
        )


def from_parts(header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> SegmentModel:
    """The inverse of to_parts. Raises ModelFileError on anything inconsistent."""
    types, longest = read_strings(header, "labels"), header.get("longest")
    name = header.get("segment_encoding")
    if name is not None and name not in registry.names("encoding"):
        raise ModelFileError(f"the model's encoding {name!r} is unknown")
    if (
        not 0 < len(types) <= MOST_LABELS
        or len(set(types)) != len(types)
        or (name is not None and OUTSIDE not in types)
    ):
        raise ModelFileError("the model's labels are inconsistent")
    if not isinstance(longest, int) or isinstance(longest, bool) or not 1 <= longest <= 1 << 20:
        raise ModelFileError("the model's longest segment is inconsistent")
    lists = read_lists(header, arrays)
    known = {*functions, FREQUENCY, *attribute_names(lists)}
    features = SegmentFeatures(read_templates(header, parse, known), functions, lists)
    if set(features.lists) != set(lists):
        raise ModelFileError("the model's lists are inconsistent")
    read_features(features, arrays)
    segmentation = Segmentation(tuple(types), None if name is None else registry.get("encoding", name))
    weights = SegmentWeights(features.native, len(types), segmentation.outside, longest)
    tables = sum(features.index.size(family) for family in features.segments.families if family >= 0)
    refuse_huge(4 * row_width(len(types)) * len(arrays.get("rows/parents", ())) + 6 * tables)
    whole = _set_rows(features, weights, arrays)
    weights.set_flat(_flat(arrays, weights.size, len(types), whole))
    return SegmentModel(features, weights, segmentation)


def _set_rows(features: SegmentFeatures, weights: SegmentWeights, arrays: Arrays) -> NDArray[np.bool_]:
    """Gives the weights their rows, and says which stand for a feature; ModelFileError where one stands for none that there can be."""
    program = features.segments
    roots = read_ids(arrays, "roots/slots"), read_ids(arrays, "roots/codes")
    parents, values = read_ids(arrays, "rows/parents", -len(roots[0])), read_ids(arrays, "rows/values")
    limits = np.array(program.first_values(features.index.size, weights.most), np.int32)
    weights.set_rows(*roots, parents, values, limits)
    rows = Rows(program, weights.roots(), weights.rows())
    if not rows.make_sense(program.code_limits(weights.labels, weights.most), features.index.size):
        raise ModelFileError("the model's rows are inconsistent")
    return rows.whole


def _flat(arrays: Arrays, size: int, types: int, whole: NDArray[np.bool_]) -> NDArray[np.float32]:
    """All weights. whole: the rows that may carry some."""
    flat = read_weights(arrays, size)
    rows = flat.reshape(-1, row_width(types))
    if rows[~whole].any() or rows[:, types:].any():
        raise ModelFileError("the model's weights are inconsistent")
    return flat
