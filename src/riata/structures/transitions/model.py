"""Dependency trees that are built by moves: what a model asks of them, and its part of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import TransitionWeights, TransitionWeights64, most_chosen_tags
from riata.data.trees import NO_HEAD, crossing
from riata.data.types import Column, Corpus, Ids, KnownLabels, Starts
from riata.errors import ModelFileError, RiataError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.likely_tags import ChosenTags
from riata.models.container import Arrays
from riata.models.model import Model, of_kind
from riata.models.outputs import Refusal, Weights, WeightsKind
from riata.models.parts import (
    feature_header,
    narrow,
    read_array,
    read_features,
    read_ids,
    read_strings,
    read_templates,
    read_weights,
    store_features,
    store_weights,
)
from riata.models.tree_outputs import TreeOutputs
from riata.structures.transitions.structure import CROSSING, SYSTEMS, UNTAGGED
from riata.structures.transitions.templates import TransitionFeatures, parse

NAME = "transitions"
PRECISIONS = TransitionWeights, TransitionWeights64
PARTS = 4  # values of a row (native/features/block_rows.hpp)
REFUSAL = Refusal(
    f"the structure {NAME!r} scores moves with features of all of the tree that was built before, for which there is no dynamic program",
    None,
    "train with structure='projective', which has one",
)


@dataclass(frozen=True, eq=False)
class TransitionOutputs(TreeOutputs):
    """The relations, most frequent first. Where tags are chosen, codes of the core say the tag too, or leave it open; labels do not."""

    relations: tuple[str, ...]
    root: str  # the relation of the root
    system: str
    chosen: tuple[str, ...] = ()  # tags that are chosen while parsing

    structure = NAME
    precisions = PRECISIONS

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, PRECISIONS)
        features = of_kind(features, TransitionFeatures)
        root = self.relations.index(self.root)
        system, family = SYSTEMS.index(self.system), features.states.tag_family
        return kind(features.native, system, len(self.relations), root, family, len(self.chosen))

    def codes(self, labels: Ids, starts: Starts) -> Ids:
        return np.where(labels < 0, labels, labels * np.int32(len(self.chosen) + 1)).astype(np.int32)

    def label_ids(self, codes: Ids, starts: Starts) -> Ids:
        return self._trees(codes)

    def _trees(self, codes: Ids) -> Ids:
        """The codes without tags."""
        return codes // np.int32(len(self.chosen) + 1)

    def with_tags(self, codes: Ids, tags: Column) -> Ids:
        return (codes + tags.numbered(self.chosen) + 1).astype(np.int32)

    def with_tags_open(self, codes: Ids, like: Ids) -> Ids:
        each = np.int32(len(self.chosen) + 1)
        return np.where(like % each == 0, codes - codes % each, codes).astype(np.int32)

    def chosen_tags(self, codes: Ids) -> Column:
        """The tags that codes say."""
        names = Column.of(list(self.chosen))
        return Column(names.alphabet, (codes % np.int32(len(self.chosen) + 1) - 1).astype(np.int32))

    def as_known(self, weights: Weights, known: KnownLabels) -> KnownLabels:
        """Where tags are chosen, flags of tags come after those of heads."""
        found = super().as_known(weights, known)
        return with_given_tags(found, self.chosen) if self.chosen else found

    def slot_labels(self, codes: Ids) -> NDArray[np.int32]:
        return super().slot_labels(self._trees(codes))

    def all_slot_labels(self, codes: Ids, starts: Starts) -> NDArray[np.int32]:
        return super().all_slot_labels(self._trees(codes), starts)

    def exact_refusal(self, features: Features) -> Refusal:
        return REFUSAL

    def impossible(self, model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether the arc of a token crosses another, if the system gives none, or the root has another relation than always."""
        heads, relations = np.divmod(labels, np.int32(len(self.relations)))
        never: NDArray[np.bool_] = (heads == 0) & (relations != self.relations.index(self.root))
        return never if self.crossing else never | crossing(heads, corpus.starts)

    @property
    def crossing(self) -> bool:  # type: ignore[override]
        return self.system in CROSSING

    may_lose_given = True
    lists_searched = True

    def given_heads(self, known: KnownLabels) -> Ids:
        """The relation of the root is that of no other token."""
        several, relations = len(self.relations) > 1, known.sets[:, : len(self.relations)]
        of_root = (relations.sum(axis=1) == 1) & (relations[:, self.relations.index(self.root)] == 1) & several
        is_root = np.append(of_root, False)
        heads = super().given_heads(replace(known, sets=known.sets[:, : known.sets.shape[1] - len(self.chosen)]))
        return np.where((heads == NO_HEAD) & is_root[known.of], np.int32(0), heads)

    def trained_with(self) -> dict[str, Any]:
        return {"system": self.system}

    def memory(self, features: Features) -> tuple[str, int]:
        return f"{len(self.relations):,} relations and these features", 0  # weights enter while they are learnt

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without weights that are zero."""
        features = model.features_as(TransitionFeatures)
        header = {
            "structure": self.structure,
            "relations": list(self.relations),
            "root": self.root,
            "system": self.system,
            "tags": features.tags,
            **({"chosen": list(self.chosen)} if self.chosen else {}),
            **feature_header(features),
        }
        arrays: Arrays = {}
        store_features(features, arrays)
        weights = model.weights_as(PRECISIONS)
        for side, tags in zip(("heads", "children", "relations"), weights.pairs(), strict=True):
            arrays[f"pairs/{side}"] = narrow(tags)
        sets = weights.sets()
        arrays["sets/low"], arrays["sets/high"] = narrow(sets & np.uint64(0xFFFFFFFF)), narrow(sets >> np.uint64(32))
        _store_rows(weights, arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        relations, root, system = read_strings(header, "relations"), header.get("root"), header.get("system")
        tags = header.get("tags")
        if (
            len(set(relations)) < len(relations)
            or root not in relations
            or system not in SYSTEMS
            or tags not in (True, False)
        ):
            raise ModelFileError("the model's relations are missing or inconsistent")
        outputs = cls(tuple(relations), str(root), str(system), _chosen_in(header))
        templates, lists = read_templates(header, arrays, parse, functions)
        chosen = ChosenTags(outputs.chosen, _last_input(header)) if outputs.chosen else None
        features = TransitionFeatures(templates, functions, lists, bool(tags), chosen)
        read_features(features, arrays)
        weights = of_kind(outputs.new_weights(features, TransitionWeights), TransitionWeights)
        columns = [read_ids(arrays, f"rows/{i}") for i in range(PARTS)]
        numbers, counts, operators = (read_ids(arrays, f"rows/{name}") for name in ("templates", "counts", "operators"))
        low, high = (read_array(arrays, f"sets/{name}").astype(np.uint64) for name in ("low", "high"))
        if any(len(column) != len(numbers) for column in columns) or len(low) != len(high):
            raise ModelFileError("the model's rows of weights are inconsistent")
        flat = read_weights(arrays, len(operators))
        try:
            weights.set_pairs(*(read_ids(arrays, f"pairs/{side}") for side in ("heads", "children", "relations")))
            values = np.stack(columns, axis=1).ravel()
            weights.set_rows(low | high << np.uint64(32), numbers, values, counts, operators, flat)
        except RiataError as error:
            raise ModelFileError(f"the model's rows of weights are inconsistent: {error.message}") from None
        return Model(features, weights, outputs)


def with_given_tags(known: KnownLabels, chosen: tuple[str, ...]) -> KnownLabels:
    """What is known, with flags of tags, [M, tags], after all others; a token whose tag is open has all of them."""
    tags = np.full(len(known.of), -1, np.int32) if known.tags is None else known.tags
    pairs, of = np.unique(np.stack([known.of, tags]), axis=1, return_inverse=True)
    names: list[str] = []
    rows: list[NDArray[np.uint8]] = []
    numbers = np.full(pairs.shape[1], -1, np.int32)
    for column, (label, tag) in enumerate(pairs.T.tolist()):
        if label < 0 and tag < 0:
            continue
        numbers[column] = len(rows)
        row = np.ones(known.sets.shape[1] + len(chosen), np.uint8)
        if label >= 0:
            row[: known.sets.shape[1]] = known.sets[label]
        if tag >= 0:
            row[known.sets.shape[1] :] = np.arange(len(chosen)) == tag
        given = ([known.names[label]] if label >= 0 else []) + ([chosen[tag]] if tag >= 0 else [])
        names.append(" ".join(given))
        rows.append(row)
    sets = np.array(rows, np.uint8).reshape(len(rows), known.sets.shape[1] + len(chosen))
    return replace(known, names=tuple(names), sets=sets, of=numbers[of.reshape(-1)], tags=None)


def _chosen_in(header: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags that are chosen while parsing, if there are any."""
    if "chosen" not in header:
        return ()
    tags, eager = tuple(read_strings(header, "chosen")), header.get("system") in UNTAGGED
    if not tags or len(set(tags)) < len(tags) or len(tags) > most_chosen_tags or eager:
        raise ModelFileError("the model's tags are inconsistent")
    return tags


def _last_input(header: Mapping[str, Any]) -> int:
    inputs = header.get("inputs")
    if not isinstance(inputs, list) or len(inputs) < 2:
        raise ModelFileError("the model chooses tags, but has no column of them")
    return len(inputs) - 1


def _store_rows(weights: TransitionWeights | TransitionWeights64, arrays: Arrays) -> None:
    """Stores rows of weights, column by column, as far as their weights are not zero."""
    templates, values, counts, operators, places = weights.rows()
    numbers = weights.flat()[places]
    del places
    kept = numbers != 0
    of_row = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    counts = np.bincount(of_row[kept], minlength=len(counts))
    rows = counts > 0
    arrays["rows/templates"], arrays["rows/counts"] = narrow(templates[rows]), narrow(counts[rows])
    arrays["rows/operators"] = narrow(operators[kept])
    for i in range(PARTS):
        arrays[f"rows/{i}"] = narrow(values[i::PARTS][rows])
    store_weights(numbers[kept], arrays)


OUTPUTS = TransitionOutputs
