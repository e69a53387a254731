"""The weights of a chain with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import boundary_values
from riata.errors import UnsupportedError
from riata.features.templates import LABEL, Template
from riata.models.model import Model, of_precision
from riata.models.outputs import Weights
from riata.models.weights_by_name import NamedWeight, WeightsByName, boundary_name, text_of
from riata.structures.chain.model import PRECISIONS

GIVEN, HISTORY = -1, -2  # instead of a family: features named by the user, and features of earlier labels


class ChainWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        rows, known = _named(self.model), self.model.labels
        return {label: rows.heaviest(known.index(label), top) for label in labels or known}

    def all_weights(self) -> list[NamedWeight]:
        return _named(self.model).everything()

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        of_chain = of_precision(weights, PRECISIONS)
        return lambda entry: name_of(self.model, of_chain.place(self.model.features.index, entry))

    def all_transitions(self) -> dict[tuple[str, str], float]:
        _, columns, values = self._sparse["transition"]
        labels, size = self.model.labels, len(self.model.labels)
        return {
            (labels[c // size], labels[c % size]): v for c, v in zip(columns.tolist(), values.tolist(), strict=True)
        }

    def transitions(self, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
        _, columns, values = self._sparse["transition"]
        order = _heaviest_pairs(self.model, columns, values, top, labels)
        return [NamedWeight("edge", _pair(self.model.labels, int(columns[i])), float(values[i])) for i in order]

    def edges(self, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
        if self.model.features.bits:
            return []
        rows = _NamedRows(self.model, edge=True)
        order = _heaviest_pairs(self.model, rows.column, rows.value, top, labels)
        names = self.model.labels
        return [
            NamedWeight(rows.feature(int(i)), _pair(names, int(rows.column[i])), float(rows.value[i])) for i in order
        ]

    def count(self) -> int:
        sparse = self._sparse
        rows = [sparse["given"], sparse["transition"], sparse["history"]["rows"]]
        rows += [family[kind] for family in sparse["families"] for kind in ("node", "edge")]
        return sum(len(values) for _, _, values in rows)

    @property
    def _sparse(self) -> dict[str, Any]:
        packed: dict[str, Any] = self.model.weights_as(PRECISIONS).pack(self.model.features.index)
        return packed


def _heaviest_pairs(
    model: Model, columns: NDArray[Any], values: NDArray[Any], top: int, labels: Sequence[str] | None
) -> NDArray[np.int64]:
    """Which weights of pairs of labels are the heaviest; if labels are given, of pairs that contain one of them."""
    mine = np.flatnonzero(values)
    if labels is not None:
        size, wanted = len(model.labels), [model.labels.index(label) for label in labels]
        mine = mine[np.isin(columns[mine] // size, wanted) | np.isin(columns[mine] % size, wanted)]
    return mine[np.argsort(-np.abs(values[mine]), kind="stable")[:top]]


def name_of(model: Model, place: tuple[str, int, int, Sequence[int], Sequence[int], int]) -> tuple[str, str]:
    """Feature and label of a weight, from its place in the core: (kind, family, slot, values, values of labels before, label)."""
    kind, family, slot, values, before, label = place
    labels = model.labels
    pair = kind in ("edge", "transition")
    of = f"{labels[before[0] - 1]} -> {labels[label]}" if pair else labels[label]
    if kind == "transition":
        return "edge", of
    if kind == "given" and model.features.bits:
        return f"row {values[0]} of the table", of
    if kind == "given":
        return model.features.given.text(values[0]), of
    program = model.features.program
    edge = kind == "edge"
    same = [t for t, (f, _, e) in zip(program.templates, program.reads, strict=True) if (f, e) == (family, edge)]
    template = program.history_templates[slot] if kind == "history" else same[slot]
    texts: list[str] = []
    for value in reversed(values):
        parent, attribute, _ = program.families[family]
        texts.append(text_of(model, attribute, value))
        family = parent
    return _feature_text(template, texts[::-1], _label_names(model, before) if kind == "history" else ()), of


def _feature_text(template: Template, texts: Sequence[str], before: Sequence[str] = ()) -> str:
    """ "word[-1]=the word[0]=end"; preceded by `edge` if it scores a pair of labels. before: earlier labels, nearest first."""
    labels = [f"{LABEL}[{offset}]={name}" for offset, name in zip(template.labels, reversed(before), strict=True)]
    reads = [f"{read}={text}" for read, text in zip(template.reads, texts, strict=True)]
    return " ".join([*template.before, *labels, *reads])


def _label_names(model: Model, values: Sequence[int]) -> list[str]:
    """The names of earlier labels: 0 is a position before the sentence, label j is j + 1."""
    return [model.labels[value - 1] if value else boundary_name(0) for value in values]


def _pair(labels: Sequence[str], column: int) -> str:
    return f"{labels[column // len(labels)]} -> {labels[column % len(labels)]}"


def _named(model: Model) -> _NamedRows:
    if model.features.bits:
        raise UnsupportedError(
            f"The features of this model are hashed (bits={model.features.bits}), and hashes have no names.",
            remedy="Train without bits to see which features weigh most.",
        )
    return _NamedRows(model)


class _NamedRows:
    """The sparse form of a model, flattened: one entry per weight of a single label; with edge, of a pair of labels."""

    def __init__(self, model: Model, *, edge: bool = False) -> None:
        self.model, self.edge = model, edge
        self.sparse: dict[str, Any] = model.weights_as(PRECISIONS).pack(model.features.index)
        blocks = [(f, family["edge" if edge else "node"]) for f, family in enumerate(self.sparse["families"])]
        if not edge:
            blocks += [(GIVEN, self.sparse["given"]), (HISTORY, self.sparse["history"]["rows"])]
        program = model.features.program
        # By family: the templates that read it for a single label, and for a pair.
        self.slots: dict[int, list[Template]] = {}
        for template, (f, _, of_pair) in zip(program.templates, program.reads, strict=True):
            if of_pair == edge:
                self.slots.setdefault(f, []).append(template)
        read = [len(back) for _, _, back in program.history]
        self.label_starts = np.cumsum([0] + [read[s] for s in self.sparse["history"]["slots"]])
        nothing = np.empty(0, np.int64)  # if there is no block
        self.family = np.concatenate([nothing, *(np.full(len(rows[2]), f) for f, rows in blocks)])
        self.row = np.concatenate([nothing, *(np.repeat(np.arange(len(rows[0])), rows[0]) for _, rows in blocks)])
        self.column = np.concatenate([nothing, *(rows[1].astype(np.int64) for _, rows in blocks)])
        self.value = np.concatenate([np.empty(0), *(rows[2] for _, rows in blocks)])

    def everything(self) -> list[NamedWeight]:
        """All weights, row by row, so that each row is named once."""
        names: dict[tuple[int, int], str] = {}
        rows = list(zip(self.family.tolist(), self.row.tolist(), strict=True))
        for place in rows:
            if place not in names:
                names[place] = self._feature(*place)
        labels = self.model.labels
        return [
            NamedWeight(names[place], labels[column], value)
            for place, column, value in zip(rows, self.column.tolist(), self.value.tolist(), strict=True)
        ]

    def heaviest(self, label: int, top: int) -> list[NamedWeight]:
        mine = np.flatnonzero(self.column == label)
        order = mine[np.argsort(-np.abs(self.value[mine]), kind="stable")[:top]]
        return [NamedWeight(self.feature(int(i)), self.model.labels[label], float(self.value[i])) for i in order]

    def feature(self, weight: int) -> str:
        return self._feature(int(self.family[weight]), int(self.row[weight]))

    def _feature(self, family: int, row: int) -> str:
        if family == HISTORY:
            return self._history(row)
        if family == GIVEN:
            return str(self.model.features.given.text(int(self.sparse["kept_given"][row])))
        ngram, slot = divmod(row, len(self.slots[family]))
        return _feature_text(self.slots[family][slot], self._values(family, ngram))

    def _history(self, row: int) -> str:
        history, program = self.sparse["history"], self.model.features.program
        slot = int(history["slots"][row])
        before = _label_names(self.model, history["labels"][self.label_starts[row] : self.label_starts[row + 1]])
        texts = self._values(program.history[slot][0], int(history["ngrams"][row]))
        return _feature_text(program.history_templates[slot], texts, before)

    def _values(self, family: int, ngram: int) -> list[str]:
        """The texts of an n-gram, first element first."""
        texts: list[str] = []
        while family >= 0:
            parent, attribute, _ = self.model.features.program.families[family]
            entry = self.sparse["families"][family]
            texts.append(self._text(attribute, int(entry["values"][ngram])))
            family, ngram = parent, int(entry["parents"][ngram])
        return texts[::-1]

    def _text(self, attribute: int, value: int) -> str:
        if value >= boundary_values:  # renumbered
            value = int(self.sparse["kept_values"][attribute][value - boundary_values]) + boundary_values
        return text_of(self.model, attribute, value)


NAMES = ChainWeightsByName
