"""What constraints on trees speak of: the relation of every token, and the relations of its children."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata._core import stuck_trees
from riata.data.trees import NO_HEAD
from riata.data.types import Ids, KnownLabels, Starts
from riata.inference.rules.slots import LabelNames
from riata.models.outputs import Outputs, Weights

if TYPE_CHECKING:
    from riata.data.encodings.base import Encoding


class TreeOutputs(Outputs):
    """Trees with relations. A code of a token is head x number of relations + relation, in the core and here."""

    relations: tuple[str, ...]
    columns = 2
    crossing: bool = True  # whether arcs may cross

    @property
    def labels(self) -> tuple[str, ...]:
        return self.relations

    def as_known(self, weights: Weights, known: KnownLabels) -> KnownLabels:
        """Sets are flags of relations and, behind them, of heads, as the core takes them (estimators/given_trees.py)."""
        return replace(known, rules="trees with one root" + ("" if self.crossing else " whose arcs do not cross"))

    def stuck(self, weights: Weights, starts: Starts, known: KnownLabels) -> NDArray[np.int64]:
        by = self.headed_by(weights, known)
        found: NDArray[np.int64] = stuck_trees(starts, self.given_heads(known), not self.crossing, by)
        return found

    def headed_by(self, weights: Weights, known: KnownLabels) -> NDArray[np.uint8]:
        """[N] Whether a token may be headed by the root (1), by others (2) or by both (3), as far as relations tell; or empty: by both."""
        return np.zeros(0, np.uint8)

    def given_heads(self, known: KnownLabels) -> Ids:
        """[N] The heads that are known; NO_HEAD: any head will do."""
        flags = known.sets[:, len(self.relations) :]
        heads = np.append(np.where(flags.sum(axis=1) == 1, flags.argmax(axis=1), NO_HEAD), NO_HEAD).astype(np.int32)
        return np.asarray(heads[known.of])

    def label_names(self, encoding: Encoding | None) -> LabelNames:
        columns = np.repeat([0, 1], len(self.relations)).astype(np.int32)
        return LabelNames(self.relations, columns=columns, tree=True)

    def slot_labels(self, codes: Ids) -> NDArray[np.int32]:
        return tree_labels(codes, len(self.relations))

    def all_slot_labels(self, codes: Ids, starts: Starts) -> NDArray[np.int32]:
        return all_tree_labels(codes, starts, len(self.relations))

    def with_slot(self, labels: NDArray[np.int32], other: NDArray[np.int32], slot: int) -> NDArray[np.int32]:
        """The result may be no tree."""
        found = labels.copy()
        found[slot, 0], found[:, 1 + slot] = other[slot, 0], other[:, 1 + slot]
        return found


def tree_labels(codes: Ids, relations: int) -> NDArray[np.int32]:
    """[T, 1 + T] Of the tree of one sentence the relation of every token; and for every other token, if it is a child, its relation."""
    heads, numbers = np.divmod(codes, np.int32(relations))
    found = np.full((len(codes), 1 + len(codes)), -1, np.int32)
    found[:, 0] = numbers
    child = np.flatnonzero(heads > 0)
    found[heads[child] - 1, 1 + child] = relations + numbers[child]
    return found


def all_tree_labels(codes: Ids, starts: Starts, relations: int) -> NDArray[np.int32]:
    """[N, 1 + most children] Of the trees of all sentences the relation of every token, and those of its children, in any order."""
    heads, numbers = np.divmod(codes, np.int32(relations))
    firsts = np.repeat(starts[:-1], np.diff(starts))
    child = np.flatnonzero(heads > 0)
    at = (firsts + heads - 1)[child]
    order = np.argsort(at, kind="stable")
    child, at = child[order], at[order]
    rank = np.arange(len(at)) - np.searchsorted(at, at)
    found = np.full((len(codes), 2 + int(rank.max(initial=-1))), -1, np.int32)
    found[:, 0] = numbers
    found[at, 1 + rank] = relations + numbers[child]
    return found
