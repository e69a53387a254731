"""The weights of a parser that builds trees by moves, with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riata._core import first_tagging
from riata.models.model import Model, of_precision
from riata.models.outputs import Weights
from riata.models.weights_by_name import NamedWeight, WeightsByName, ngram_texts
from riata.structures.transitions.model import PARTS, PRECISIONS, TransitionOutputs
from riata.structures.transitions.templates import CHOSEN, LIKELY, TemplatePart, TransitionFeatures, name_of

SHIFT, REDUCE, SWAP, LEFT, RIGHT = "shift", "reduce", "swap", "left", "right"
MOST_CHILDREN = 7
DISTANCES = ("0", "1", "2", "3", "4", "5-10", "11-")


def action_names(outputs: TransitionOutputs) -> tuple[str, ...]:
    """The operators in the order of rows of weights: shift, reduce or swap, then left and right with each relation, then shift with each
    tag that it may choose.
    """
    relations, second = outputs.relations, SWAP if outputs.system == "swap" else REDUCE
    arcs = (f"{side} {relation}" for relation in relations for side in (LEFT, RIGHT))
    return (SHIFT, second, *arcs, *(f"{SHIFT} {tag}" for tag in outputs.chosen))


def action_name(outputs: TransitionOutputs, action: int) -> str:
    """An operator by its number in the core."""
    tag = action - first_tagging
    return action_names(outputs)[action] if tag < 0 else f"{SHIFT} {outputs.chosen[tag]}"


class TransitionNames:
    """Rows of weights by name (native/features/block_rows.hpp). weights: if there are more than in the model."""

    def __init__(self, model: Model, weights: Weights | None = None) -> None:
        self.model = model
        held = model.weights_as(PRECISIONS) if weights is None else of_precision(weights, PRECISIONS)
        self.flat = held.flat()
        self.templates, values, counts, operators, places = held.rows()
        self.operators = np.full(len(self.flat), -1, np.int32)  # [places]
        self.rows = np.zeros(len(self.flat), np.int32)
        self.operators[places], self.rows[places] = operators, np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        self.values, self.sets = values.reshape(-1, PARTS), held.sets()
        outputs = model.outputs_as(TransitionOutputs)
        self.relations, self.tags, self.actions = outputs.relations, outputs.chosen, action_names(outputs)
        self.program = model.features_as(TransitionFeatures)
        self.pairs = [model.features.index.pairs(f) for f in range(len(model.features.program.families))]

    def heaviest(self, action: str, top: int) -> list[NamedWeight]:
        """The features of an operator with the largest absolute weights."""
        places = np.flatnonzero(self.operators == self.actions.index(action))
        values = self.flat[places]
        order = [int(i) for i in np.argsort(-np.abs(values), kind="stable")[:top] if values[i]]
        return [NamedWeight(self.name_of(int(places[i]))[0], action, float(values[i])) for i in order]

    def name_of(self, place: int) -> tuple[str, str]:
        """Feature and operator of a weight, from its place among all weights."""
        row = int(self.rows[place])
        template = self.program.states.sources[int(self.templates[row])]
        native = [self.program.states.parts[p] for p in self.program.states.templates[int(self.templates[row])]]
        values = zip(template.parts, native, self.values[row].tolist(), strict=False)
        name = " ".join(self._part(part, code, value) for part, code, value in values)
        return name, self.actions[int(self.operators[place])]

    def _part(self, part: TemplatePart, code: tuple[int, int, int, int], value: int) -> str:
        if part.kind == CHOSEN:
            return f"{part}={self.tags[value]}"
        if part.kind == LIKELY:
            return f"{part}={ngram_texts(self.model, self.pairs, code[2], value)[0]}"
        if not part.kind:
            texts = ngram_texts(self.model, self.pairs, code[2], value)
            names = [
                f"{name_of(read)}[{part.place}{f'{read.offset:+d}' if read.offset else ''}]" for read in part.reads
            ]
            return " ".join(f"{name}={text}" for name, text in zip(names, texts, strict=True))
        shown: dict[str, Callable[[int], str]] = {
            "relation": self._relation,
            "leftset": self._set,
            "rightset": self._set,
            "distance": lambda distance: DISTANCES[distance],
        }
        return f"{part}={shown.get(part.kind, _count)(value)}"

    def _relation(self, value: int) -> str:
        return self.relations[value - 1] if value else "none"

    def _set(self, value: int) -> str:
        """The relations of a set; from the 65th on, relations share a bit with others."""
        bits = int(self.sets[value])
        found = ["|".join(self.relations[bit::64]) for bit in range(64) if bits >> bit & 1]
        return ",".join(found) or "none"


def _count(value: int) -> str:
    return f"{value}-" if value == MOST_CHILDREN else str(value)


class TransitionWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        names = TransitionNames(self.model)
        return {label: names.heaviest(label, top) for label in labels or self.label_names()}

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        return TransitionNames(self.model, weights).name_of

    def label_names(self) -> tuple[str, ...]:
        return action_names(self.model.outputs_as(TransitionOutputs))


NAMES = TransitionWeightsByName
