"""The weights of a model with names that people can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata._core import boundary_reach, boundary_values
from riata.errors import UnsupportedError
from riata.features.templates import LABEL, Template
from riata.models.chain import ChainModel
from riata.models.joint import JointModel
from riata.models.model import Model
from riata.models.segments import SegmentModel

GIVEN, HISTORY = -1, -2  # in place of a family: features given by the user, and those of earlier labels


class NamedWeight(NamedTuple):
    feature: str  # "word[-1]=the word[0]=end"
    label: str  # "B-NP", or "B-NP -> I-NP" for a pair of neighbours
    weight: float


def heaviest(model: Model, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
    """The features of the largest absolute weight for each label, heaviest first; of segments for each type, or that of a tag."""
    if isinstance(model, SegmentModel):
        from riata.models.segment_names import SegmentNames

        names, segmentation = SegmentNames(model), model.segmentation
        return {
            label: names.heaviest(segmentation.types.index(segmentation.type_of(label)), top)
            for label in labels or segmentation.types
        }
    if isinstance(model, JointModel):
        from riata.models.joint_names import JointNames

        return JointNames(model).heaviest(labels or label_names(model), top)
    named = _named(model)
    return {label: named.heaviest(model.labels.index(label), top) for label in labels or model.labels}


def all_weights(model: Model) -> list[NamedWeight]:
    """Every weight of a single label that is not zero."""
    if isinstance(model, ChainModel):
        return _named(model).everything()
    everything = heaviest(model, count(model))
    return [weight for weights in everything.values() for weight in weights]


def all_transitions(model: Model) -> dict[tuple[str, str], float]:
    """Every weight of a pair of neighbouring labels, whatever the word; there are none but in chains."""
    if not isinstance(model, ChainModel):
        return {}
    _, columns, values = model.weights.pack(model.features.index)["transition"]
    labels, size = model.labels, len(model.labels)
    return {(labels[c // size], labels[c % size]): v for c, v in zip(columns.tolist(), values.tolist(), strict=True)}


def label_names(model: Model) -> tuple[str, ...]:
    """Whose weights can be asked for: labels; of pairs, the tags and the chunk labels."""
    return (*model.parts.tags, *model.parts.chunks) if isinstance(model, JointModel) else model.labels


def labels_called(model: Model, name: str, *, chunks: bool) -> tuple[str, ...]:
    """The labels that a name means: a label or, where there are chunks, all labels of a type; segments have weights by type."""
    known = label_names(model)
    if isinstance(model, SegmentModel):
        types = model.segmentation.types
        return (name,) if name in types or name in known else ()
    if name in known or not chunks or not name:
        return (name,) if name in known else ()
    tags = model.parts.chunks if isinstance(model, JointModel) else known
    return tuple(label for label in tags if label.partition("-")[2] == name)


def times_seen(model: Model, label: str, counts: Mapping[str, int]) -> int:
    """How many tokens of the training data had the label, or any label of the type of segments. counts: by label."""
    if not isinstance(model, SegmentModel) or label in counts:
        return counts.get(label, 0)
    return sum(number for tag, number in counts.items() if model.segmentation.type_of(tag) == label)


def transitions(model: Model, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
    """The heaviest pairs of neighbouring labels; with labels, of those in which one of them is."""
    if not isinstance(model, ChainModel):
        return []
    _, columns, values = model.weights.pack(model.features.index)["transition"]
    order = _heaviest_pairs(model, columns, values, top, labels)
    return [NamedWeight("edge", _pair(model.labels, int(columns[i])), float(values[i])) for i in order]


def edges(model: Model, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
    """The same of features of pairs, those of templates such as `edge word[0]`; hashed ones have no names, and are left out."""
    if not isinstance(model, ChainModel) or model.features.bits:
        return []
    named = _Named(model, edge=True)
    order = _heaviest_pairs(model, named.column, named.value, top, labels)
    return [
        NamedWeight(named.feature(int(i)), _pair(model.labels, int(named.column[i])), float(named.value[i]))
        for i in order
    ]


def _heaviest_pairs(
    model: ChainModel, columns: NDArray[Any], values: NDArray[Any], top: int, labels: Sequence[str] | None
) -> NDArray[np.int64]:
    """Which weights of pairs of labels are the heaviest; with labels, of those in which one of them is."""
    mine = np.flatnonzero(values)
    if labels is not None:
        size, wanted = len(model.labels), [model.labels.index(label) for label in labels]
        mine = mine[np.isin(columns[mine] // size, wanted) | np.isin(columns[mine] % size, wanted)]
    return mine[np.argsort(-np.abs(values[mine]), kind="stable")[:top]]


def count(model: Model) -> int:
    """How many weights are not zero."""
    if not isinstance(model, ChainModel):
        return int(np.count_nonzero(model.weights.flat()))
    sparse = model.weights.pack(model.features.index)
    rows = [sparse["given"], sparse["transition"], sparse["history"]["rows"]]
    rows += [family[kind] for family in sparse["families"] for kind in ("node", "edge")]
    return sum(len(values) for _, _, values in rows)


def boundary_name(value: int) -> str:
    """CRF++'s names for positions outside the sentence: _B-1 is one before it, _B+1 one after."""
    return f"_B-{value + 1}" if value < boundary_reach else f"_B+{value - boundary_reach + 1}"


def name_of(model: ChainModel, place: tuple[str, int, int, Sequence[int], Sequence[int], int]) -> tuple[str, str]:
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
    """ "word[-1]=the word[0]=end"; after the word edge, where a pair of labels is scored. before: earlier labels, nearest first."""
    labels = [f"{LABEL}[{offset}]={name}" for offset, name in zip(template.labels, reversed(before), strict=True)]
    reads = [f"{read}={text}" for read, text in zip(template.reads, texts, strict=True)]
    return " ".join((["edge"] if template.edge else []) + labels + reads)


def _label_names(model: ChainModel, values: Sequence[int]) -> list[str]:
    """Of earlier labels: 0 is a position before the sentence, label j is j + 1."""
    return [model.labels[value - 1] if value else boundary_name(0) for value in values]


def text_of(model: Model, attribute: int, value: int) -> str:
    if value < boundary_values:
        return boundary_name(value)
    return model.features.alphabets[attribute].text(value - boundary_values)


def _pair(labels: Sequence[str], column: int) -> str:
    return f"{labels[column // len(labels)]} -> {labels[column % len(labels)]}"


def _named(model: ChainModel) -> _Named:
    if model.features.bits:
        raise UnsupportedError(
            f"The features of this model are hashed (bits={model.features.bits}), and hashes have no names.",
            remedy="Train without bits to see which features weigh most.",
        )
    return _Named(model)


class _Named:
    """The sparse form of a model, flattened: one entry per weight of a single label; with edge, of a pair of them."""

    def __init__(self, model: ChainModel, *, edge: bool = False) -> None:
        self.model, self.edge = model, edge
        self.sparse: dict[str, Any] = model.weights.pack(model.features.index)
        blocks = [(f, family["edge" if edge else "node"]) for f, family in enumerate(self.sparse["families"])]
        if not edge:
            blocks += [(GIVEN, self.sparse["given"]), (HISTORY, self.sparse["history"]["rows"])]
        program = model.features.program
        self.slots: dict[
            int, list[Template]
        ] = {}  # by family, the templates that read it for a single label, or a pair
        for template, (f, _, of_pair) in zip(program.templates, program.reads, strict=True):
            if of_pair == edge:
                self.slots.setdefault(f, []).append(template)
        read = [len(back) for _, _, back in program.history]
        self.label_starts = np.cumsum([0] + [read[s] for s in self.sparse["history"]["slots"]])
        nothing = np.empty(0, np.int64)  # where there is no block
        self.family = np.concatenate([nothing, *(np.full(len(rows[2]), f) for f, rows in blocks)])
        self.row = np.concatenate([nothing, *(np.repeat(np.arange(len(rows[0])), rows[0]) for _, rows in blocks)])
        self.column = np.concatenate([nothing, *(rows[1].astype(np.int64) for _, rows in blocks)])
        self.value = np.concatenate([np.empty(0), *(rows[2] for _, rows in blocks)])

    def everything(self) -> list[NamedWeight]:
        """Row by row, so that each is named once."""
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
            return self.model.features.given.text(int(self.sparse["kept_given"][row]))
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
