"""What is read from another tool's model, and the chain that it makes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import ChainWeights, boundary_reach, boundary_values, unpack_chain
from riata.data.types import interned
from riata.features.attributes import builtin
from riata.features.compile import Features, family_of
from riata.features.expressions import expressions
from riata.features.templates import Template
from riata.inference.rules.legality import Legality
from riata.models.model import Model, of_kind
from riata.models.parts import refuse_huge, weight_bytes
from riata.structures.chain.model import ChainOutputs

Matrix = NDArray[np.float64]
EDGE = Template((), edge=True)
# Of a read: a text, or how far outside the sentence it is: -1 before its first token, 1 after its last.
Value = str | int


@dataclass(frozen=True, eq=False)
class Imported:
    """A trained chain, and what its data look like."""

    model: Model
    inputs: tuple[int, ...]  # columns that it reads; none: features that the user gives
    output: int  # the column that it predicts; -1: the last one


def from_given(
    labels: tuple[str, ...], names: Sequence[str], places: NDArray[np.int64], values: Matrix, transitions: Matrix
) -> Imported:
    """A model of features that the user gives. values: weights, each of the name and the label at its place, [W, 2]."""
    features = Features([EDGE], builtin())
    features.given, ids = interned(names)
    refuse_huge(weight_bytes(features, [], len(labels)))
    cells, which = np.unique(ids[places[:, 0]] * len(labels) + places[:, 1], return_inverse=True)
    sums = np.bincount(which, weights=values, minlength=len(cells)).astype(np.float32)
    counts = np.bincount(cells // len(labels), minlength=len(features.given)).astype(np.uint32)
    given = (counts, (cells % len(labels)).astype(np.uint32), sums)
    return Imported(_chain(features, labels, [], given, transitions), (), -1)


@dataclass(eq=False)
class ColumnFeatures:
    """Weights of n-grams of columns, collected template by template."""

    labels: tuple[str, ...]
    weights: dict[Template, tuple[list[tuple[Value, ...]], list[int]]] = field(default_factory=dict)  # n-grams, places

    def add(self, template: Template, ngram: tuple[Value, ...], place: int) -> None:
        """The weights of an n-gram start at this place of the long vector. What is added twice is summed up."""
        ngrams, places = self.weights.setdefault(template, ([], []))
        ngrams.append(ngram)
        places.append(place)

    def model(self, templates: Sequence[Template], vector: Matrix) -> Model:
        names = [read.attribute for template in templates for read in template.reads]
        features = Features(templates, {**builtin(), **expressions(names)})
        index = _Ngrams(features)
        slots = _slots(features)
        found = {t: index.add(t, self.weights[t][0]) for t in templates if t in self.weights and t.reads}
        L = len(self.labels)
        refuse_huge(weight_bytes(features, [len(pairs) for pairs in index.pairs], L))
        node, edge = _blocks(features, index, L, edge=False), _blocks(features, index, L * L, edge=True)
        for template, ids in found.items():
            family, slot = slots[template]
            height = L if template.edge else 1
            block = (edge if template.edge else node)[family]
            rows = ids * block.shape[1] + slot
            at = np.array(self.weights[template][1], np.int64)[:, None] + np.arange(height * L)
            np.add.at(block.reshape(-1, height * L), rows, vector[at].astype(np.float32))
        transitions = np.zeros((L, L))
        for place in self.weights.get(EDGE, ([], []))[1]:
            transitions += vector[place : place + L * L].reshape(L, L)
        families = [
            {
                "parents": np.array([parent for parent, _ in pairs], np.int32),
                "values": np.array([value for _, value in pairs], np.int32),
                "node": _sparse(node[f].reshape(-1, L)),
                "edge": _sparse(edge[f].reshape(-1, L * L)),
            }
            for f, pairs in enumerate(index.pairs)
        ]
        return _chain(features, self.labels, families, _sparse(np.empty((0, L))), transitions)


class _Ngrams:
    """The trie of n-grams, filled in Python: pairs of (parent, value) per family, in the order of their ids."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self.pairs: list[dict[tuple[int, int], int]] = [{} for _ in features.program.families]

    def add(self, template: Template, ngrams: Sequence[tuple[Value, ...]]) -> NDArray[np.int64]:
        """The ids of a template's n-grams. Their values stand in the order of the template's reads."""
        program = self.features.program
        attributes = {name: a for a, name in enumerate(program.attributes)}
        families = {spec: f for f, spec in enumerate(program.families)}
        steps = [
            (family_of(template.reads[:i], attributes, families), attributes[read.attribute, read.column])
            for i, read in enumerate(template.reads, start=1)
        ]
        ids = np.empty(len(ngrams), np.int64)
        for n, ngram in enumerate(ngrams):
            parent = -1
            for (family, attribute), value in zip(steps, ngram, strict=True):
                pairs = self.pairs[family]
                parent = pairs.setdefault((parent, self._value(attribute, value)), len(pairs))
            ids[n] = parent
        return ids

    def _value(self, attribute: int, value: Value) -> int:
        if isinstance(value, int):
            return -value - 1 if value < 0 else boundary_reach + value - 1
        return boundary_values + self.features.alphabets[attribute].add(value)


def _slots(features: Features) -> dict[Template, tuple[int, int]]:
    """The family of every template, and which of the family's rows of an n-gram is its own."""
    seen: dict[tuple[int, bool], int] = defaultdict(int)
    slots = {}
    for template, (family, _, edge) in zip(features.program.templates, features.program.reads, strict=True):
        slots[template] = family, seen[family, edge]
        seen[family, edge] += 1
    return slots


def _blocks(features: Features, index: _Ngrams, width: int, *, edge: bool) -> list[NDArray[np.float32]]:
    """Zeros for the weights of each family: [n-grams, slots, width]."""
    reads = [(family, of_edges) for family, _, of_edges in features.program.reads]
    return [np.zeros((len(pairs), reads.count((f, edge)), width), np.float32) for f, pairs in enumerate(index.pairs)]


def _sparse(rows: NDArray[Any]) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]:
    """Counts, columns and values of what is not zero, row by row."""
    single = rows.astype(np.float32, copy=False)
    at, columns = np.nonzero(single)
    counts = np.bincount(at, minlength=len(rows)).astype(np.uint32)
    return counts, columns.astype(np.uint32), single[at, columns]


def _chain(
    features: Features, labels: tuple[str, ...], families: list[dict[str, Any]], given: Any, transitions: Matrix
) -> Model:
    none = np.empty(0, np.int32)
    nothing = (np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.float32))
    sparse = {
        "families": families,
        "kept_given": none,
        "given": given,
        "transition": _sparse(transitions.reshape(1, -1)),
        "history": {"slots": none, "ngrams": none, "labels": none, "rows": nothing},
    }
    sizes = [len(alphabet) for alphabet in features.alphabets]
    outputs = ChainOutputs(labels, Legality.free(len(labels)))
    blank = of_kind(outputs.new_weights(features, ChainWeights), ChainWeights)
    return Model(features, unpack_chain(features.index, sparse, blank, sizes, len(features.given)), outputs)
