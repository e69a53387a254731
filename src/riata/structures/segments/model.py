"""Labelled segments: what a model asks of them. Its labels are tags, as in a chain; segments are codes of the core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata._core import (
    Instances,
    SegmentWeights,
    SegmentWeights64,
    boundary_values,
    segment_probabilities,
    stuck_segments,
)
from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.segmentation import Segmentation
from riata.data.types import Corpus, Ids, KnownLabels, Starts
from riata.errors import ModelFileError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.inference.rules.legality import Mask
from riata.inference.rules.slots import LabelNames
from riata.models.container import Arrays
from riata.models.model import Model, of_kind, of_precision
from riata.models.outputs import Outputs, Refusal, Values, Weights, WeightsKind
from riata.models.parts import (
    MOST_LABELS,
    feature_header,
    narrow,
    read_features,
    read_ids,
    read_strings,
    read_templates,
    read_weights,
    refuse_huge,
    row_width,
    store_features,
    store_weights,
)
from riata.structures.segments.templates import SEQUENCES, SegmentFeatures, SegmentProgram, parse

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Pairs = tuple[Numbers, Numbers]


class Rows:
    """Rows of weights: the slot that each belongs to, and its distance from the root (native/features/grown_rows.hpp)."""

    def __init__(self, program: SegmentProgram, roots: Pairs, rows: Pairs) -> None:
        self.parents, self.values = rows
        self.roots = roots
        self.depth = np.ones(len(self.parents), np.int64)
        top = self.parents.copy()  # an ancestor of each row, until it is a root
        while (inner := top >= 0).any():  # as many times as the longest sequence has tokens
            self.depth += inner
            top[inner] = self.parents[top[inner]]
        self.root = -1 - top
        self.slot = roots[0][self.root]
        self.family = np.array(program.families, np.int64)[self.slot] if len(self.slot) else self.slot
        aside = np.array([SEQUENCES.get(template.role, -1) for template in program.slots], np.int64)
        self.aside = aside[self.slot] if len(self.slot) else self.slot

    @property
    def whole(self) -> Flags:
        """Whether each row stands for a feature, not only for the beginning of one."""
        return self.depth > 2 * np.maximum(self.aside, 0)

    def make_sense(self, code_limits: Sequence[int], size: Callable[[int], int]) -> bool:
        """Whether only sequences have longer rows, codes are possible for their templates, and n-grams exist."""
        sizes = np.array([size(f) for f in range(int(self.family.max(initial=-1)) + 1)], np.int64)
        known = self.family < 0
        known[~known] = self.values[~known] < sizes[self.family[~known]]
        codes_fit = (self.roots[1] < np.array(code_limits, np.int64)[self.roots[0]]).all()
        return bool(codes_fit and known.all() and (self.depth[self.aside < 0] == 1).all())

    def needed(self, heavy: Flags) -> Flags:
        """Rows that have weights, and all their ancestors."""
        keep = heavy.copy()
        while True:
            above = self.parents[keep]
            above = above[above >= 0]
            if keep[above].all():
                return keep
            keep[above] = True


@dataclass(frozen=True)
class Pruned:
    families: Sequence[Pairs]
    roots: Pairs
    rows: Pairs
    values: Sequence[Numbers]  # for each attribute, the ids in its alphabet that are kept
    weights: NDArray[np.float32]  # [rows, width]


def pruned(
    program: SegmentProgram, families: Sequence[Pairs], roots: Pairs, rows: Pairs, weights: NDArray[np.float32]
) -> Pruned:
    """weights: [rows, width]."""
    found = Rows(program, roots, rows)
    keep_rows = found.needed((weights != 0).any(axis=1))
    keep: list[Flags] = []
    for f, (parents, _) in enumerate(families):
        needed: Flags = np.zeros(len(parents), bool)
        needed[found.values[keep_rows & (found.family == f)]] = True
        keep.append(needed)
    for f in reversed(range(len(families))):  # a family comes after its parent
        above = program.program.families[f][0]
        if above >= 0:
            keep[above][families[f][0][keep[f]]] = True
    used = [np.zeros(boundary_values, bool) for _ in program.program.attributes]
    for f, (_, values) in enumerate(families):
        a = program.program.families[f][1]
        used[a] = _with(used[a], values[keep[f]])
    new_value = [_numbers(np.concatenate([np.ones(boundary_values, bool), one[boundary_values:]])) for one in used]
    new_ngram = [_numbers(flags) for flags in keep]
    out: list[Pairs] = []
    for f, (parents, values) in enumerate(families):
        above, a, _ = program.program.families[f]
        mine = parents[keep[f]]
        out.append((mine if above < 0 else new_ngram[above][mine], new_value[a][values[keep[f]]]))
    keep_roots = np.zeros(len(roots[0]), bool)
    keep_roots[: len(program.slots)] = True
    keep_roots[found.root[keep_rows]] = True
    return Pruned(
        out,
        (roots[0][keep_roots], roots[1][keep_roots]),
        _renumbered(found, keep_rows, keep_roots, new_ngram),
        [np.flatnonzero(one[boundary_values:]) for one in used],
        weights[keep_rows],
    )


def _with(flags: Flags, values: Numbers) -> Flags:
    """The flags, also set at these values."""
    out = np.zeros(max(len(flags), int(values.max(initial=0)) + 1), bool)
    out[: len(flags)] = flags
    out[values] = True
    return out


def _numbers(flags: Flags) -> Numbers:
    """The new numbers of what is kept."""
    return np.cumsum(flags, dtype=np.int64) - 1


def _renumbered(rows: Rows, keep: Flags, keep_roots: Flags, new_ngram: Sequence[Numbers]) -> Pairs:
    values = rows.values.copy()
    for f, numbers in enumerate(new_ngram):
        mine = keep & (rows.family == f)
        values[mine] = numbers[values[mine]]
    parents = rows.parents[keep].astype(np.int64)
    first = parents < 0
    parents[first] = -1 - _numbers(keep_roots)[-1 - parents[first]]
    parents[~first] = _numbers(keep)[parents[~first]]
    return parents, values[keep]


FEWER_LABELS = "train with templates that read label[-1] only, as the default does with queue='exact'"
PRECISIONS = SegmentWeights, SegmentWeights64


@dataclass(frozen=True, eq=False)
class SegmentOutputs(Outputs):
    segmentation: Segmentation

    structure = "segments"
    precisions = PRECISIONS
    levelled = False  # a position can be reached by different numbers of segments

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The tags that the model can give."""
        return self.segmentation.tags

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        """sizes: the largest length of a segment, in tokens."""
        assert issubclass(kind, PRECISIONS)
        features = of_kind(features, SegmentFeatures)
        return kind(features.native, len(self.segmentation.types), self.segmentation.outside, sizes["longest"])

    def codes(self, labels: Ids, starts: Starts) -> Ids:
        """The code of every segment at its first token; -1 inside segments."""
        return self.segmentation.codes(self.labels, labels, starts)

    def label_ids(self, codes: Ids, starts: Starts) -> Ids:
        return self.segmentation.tag_ids(codes, starts)

    def exact_refusal(self, features: Features) -> Refusal | None:
        features = of_kind(features, SegmentFeatures)
        if features.native.exact:
            return None
        beyond = next(template for template in features.templates if not template.exact)
        return Refusal(f"'{beyond}' reads further back than label[-1]", beyond, FEWER_LABELS)

    def label_names(self, encoding: Encoding | None) -> LabelNames:
        """The types of segments. A segment is in the slot of its first token."""
        outside = None if encoding is None else np.array([kind == OUTSIDE for kind in self.segmentation.types])
        return LabelNames(self.segmentation.types, outside=outside)

    takes_sets = True
    labels_every_slot = False

    def tag_sets(self, sets: Mask, *, everywhere: bool) -> Mask | None:
        """A part is the first token of a segment. In some encodings its tag is also that of tokens inside."""
        found = np.ones((len(sets), len(self.labels)), np.uint8)
        for kind, table in enumerate(self.segmentation.tag_table):
            begins, inner = table[:, :2].ravel(), table[:, 2:].ravel()
            if not everywhere and kind != self.segmentation.outside and np.isin(begins, inner).any():
                return None
            tags = table.ravel() if everywhere else begins
            found[:, tags] &= sets[:, kind, None].astype(np.uint8)
        return found

    def slot_labels(self, codes: Ids) -> NDArray[np.int32]:
        found: NDArray[np.int32] = np.where(codes < 0, -1, codes % len(self.segmentation.types)).astype(np.int32)
        return found

    def as_known(self, weights: Weights, known: KnownLabels) -> KnownLabels:
        most = of_precision(weights, PRECISIONS).most
        longest = f"{most} token{'s' * (most != 1)}"
        rules = f"{known.rules}, with chunks of at most {longest}"
        return replace(known, sets=self.segmentation.role_sets(known.sets), rules=rules)

    def stuck(self, weights: Weights, starts: Starts, known: KnownLabels) -> NDArray[np.int64]:
        weights = of_precision(weights, PRECISIONS)
        return stuck_segments(starts, known.sets, known.of, weights.labels, weights.outside, weights.most)

    def impossible(self, model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether a segment begins at the token that is longer than the search allows, or no segment can have its tag there."""
        codes = self.codes(labels, corpus.starts)
        never: NDArray[np.bool_] = codes // len(self.segmentation.types) >= model.weights_as(PRECISIONS).most
        never |= self.label_ids(codes, corpus.starts) != labels
        return never

    def probabilities(self, model: Model, instances: Instances, temperature: float) -> tuple[Values, Values]:
        table, index = self.segmentation.tag_table.ravel(), model.features.index
        weights = model.weights_as(PRECISIONS)
        found: tuple[Values, Values] = segment_probabilities(
            weights, index, instances, table, len(self.labels), temperature
        )
        return found

    def memory(self, features: Features) -> tuple[str, int]:
        features = of_kind(features, SegmentFeatures)
        rows = sum(features.index.size(family) for family in features.segments.families if family >= 0)
        types = len(self.segmentation.types)
        return f"{types:,} labels and {rows:,} features", 4 * row_width(types) * rows

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without rows, n-grams and values that have no weight."""
        features, weights = model.features_as(SegmentFeatures), model.weights_as(PRECISIONS)
        width = row_width(len(self.segmentation.types))
        families = [features.index.pairs(f) for f in range(len(features.program.families))]
        rows = weights.flat().astype(np.float32, copy=False).reshape(-1, width)
        kept = pruned(features.segments, families, weights.roots(), weights.rows(), rows)
        header = {
            "structure": self.structure,
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

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
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
        templates, lists = read_templates(header, arrays, parse, functions)
        features = SegmentFeatures(templates, functions, lists)
        read_features(features, arrays)
        outputs = cls(Segmentation(tuple(types), None if name is None else registry.get("encoding", name)))
        weights = of_kind(outputs.new_weights(features, SegmentWeights, longest=longest), SegmentWeights)
        tables = sum(features.index.size(family) for family in features.segments.families if family >= 0)
        refuse_huge(4 * row_width(len(types)) * len(arrays.get("rows/parents", ())) + 6 * tables)
        whole = _set_rows(features, weights, arrays)
        weights.set_flat(_flat(arrays, weights.size, len(types), whole))
        return Model(features, weights, outputs)


def _set_rows(features: SegmentFeatures, weights: SegmentWeights, arrays: Arrays) -> NDArray[np.bool_]:
    """Sets the rows of the weights, and returns which of them stand for a feature. Raises ModelFileError for impossible rows."""
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
    """All weights. whole: the rows that may have weights."""
    flat = read_weights(arrays, size)
    rows = flat.reshape(-1, row_width(types))
    if rows[~whole].any() or rows[:, types:].any():
        raise ModelFileError("the model's weights are inconsistent")
    return flat


OUTPUTS = SegmentOutputs
