"""The weights of a model with names that people can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from riata._core import boundary_reach, boundary_values
from riata.features.templates import LABEL, Read
from riata.models.chain import ChainModel

GIVEN, HISTORY = -1, -2  # in place of a family: features given by the user, and those of earlier labels


class NamedWeight(NamedTuple):
    feature: str  # "word[-1]=the word[0]=end"
    label: str  # "B-NP", or "B-NP -> I-NP" for a pair of neighbours
    weight: float


def heaviest(model: ChainModel, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
    """The features of the largest absolute weight for each label, heaviest first."""
    named = _Named(model)
    return {label: named.heaviest(model.labels.index(label), top) for label in labels or model.labels}


def transitions(model: ChainModel, top: int) -> list[NamedWeight]:
    """The heaviest pairs of neighbouring labels."""
    _, columns, values = model.weights.pack(model.features.index)["transition"]
    order = np.argsort(-np.abs(values), kind="stable")[:top]
    return [NamedWeight("edge", _pair(model.labels, int(columns[i])), float(values[i])) for i in order]


def count(model: ChainModel) -> int:
    """How many weights are not zero."""
    sparse = model.weights.pack(model.features.index)
    rows = [sparse["given"], sparse["transition"], sparse["history"]["rows"]]
    rows += [family[kind] for family in sparse["families"] for kind in ("node", "edge")]
    return sum(len(values) for _, _, values in rows)


def boundary_name(value: int) -> str:
    """CRF++'s names for positions outside the sentence: _B-1 is one before it, _B+1 one after."""
    return f"_B-{value + 1}" if value < boundary_reach else f"_B+{value - boundary_reach + 1}"


def _pair(labels: Sequence[str], column: int) -> str:
    return f"{labels[column // len(labels)]} -> {labels[column % len(labels)]}"


class _Named:
    """The sparse form of a model, flattened: one entry per weight of a single label."""

    def __init__(self, model: ChainModel) -> None:
        self.model = model
        self.sparse: dict[str, Any] = model.weights.pack(model.features.index)
        blocks = [(f, family["node"]) for f, family in enumerate(self.sparse["families"])]
        blocks += [(GIVEN, self.sparse["given"]), (HISTORY, self.sparse["history"]["rows"])]
        read = [len(back) for _, _, back in model.features.program.history]
        self.label_starts = np.cumsum([0] + [read[s] for s in self.sparse["history"]["slots"]])
        self.family = np.concatenate([np.full(len(rows[2]), f) for f, rows in blocks])
        self.row = np.concatenate([np.repeat(np.arange(len(rows[0])), rows[0]) for _, rows in blocks])
        self.column = np.concatenate([rows[1] for _, rows in blocks])
        self.value = np.concatenate([rows[2] for _, rows in blocks])

    def heaviest(self, label: int, top: int) -> list[NamedWeight]:
        mine = np.flatnonzero(self.column == label)
        order = mine[np.argsort(-np.abs(self.value[mine]), kind="stable")[:top]]
        return [
            NamedWeight(
                self._feature(int(self.family[i]), int(self.row[i])), self.model.labels[label], float(self.value[i])
            )
            for i in order
        ]

    def _feature(self, family: int, row: int) -> str:
        if family == HISTORY:
            return self._history(row)
        if family == GIVEN:
            return self.model.features.given.text(int(self.sparse["kept_given"][row]))
        program = self.model.features.program
        slots = [i for i, (f, _, edge) in enumerate(program.reads) if f == family and not edge]
        ngram, slot = divmod(row, len(slots))
        return self._named(program.templates[slots[slot]].reads, family, ngram)

    def _history(self, row: int) -> str:
        history = self.sparse["history"]
        slot = int(history["slots"][row])
        family, _, back = self.model.features.program.history[slot]
        values = history["labels"][self.label_starts[row] : self.label_starts[row + 1]]
        names = [self.model.labels[value - 1] if value else boundary_name(0) for value in values]
        labels = " ".join(f"{LABEL}[-{k}]={name}" for k, name in reversed(list(zip(back, names, strict=True))))
        if family < 0:
            return labels
        template = self.model.features.program.history_templates[slot]
        return f"{labels} {self._named(template.reads, family, int(history['ngrams'][row]))}"

    def _named(self, reads: Sequence[Read], family: int, ngram: int) -> str:
        return " ".join(f"{read}={value}" for read, value in zip(reads, self._values(family, ngram), strict=True))

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
        if value < boundary_values:
            return boundary_name(value)
        kept = self.sparse["kept_values"][attribute]
        return self.model.features.alphabets[attribute].text(int(kept[value - boundary_values]))
