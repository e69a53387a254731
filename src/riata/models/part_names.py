"""The weights of features of parts, with their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riata.errors import UnsupportedError
from riata.models.outputs import Weights
from riata.models.weights_by_name import NamedWeight, WeightsByName


class PartWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        rows = self.model.weights.flat().reshape(-1, len(self.label_names()))
        return {
            label: self._of(rows[:, self.label_names().index(label)], label, top)
            for label in labels or self.label_names()
        }

    def label_names(self) -> tuple[str, ...]:
        return self.model.labels[1:]

    def _of(self, weights: Any, label: str, top: int) -> list[NamedWeight]:
        order = np.argsort(-np.abs(weights), kind="stable")[:top]
        chosen = order[weights[order] != 0].astype(np.int32)
        texts = self.model.features.given.texts_of(chosen)
        return [NamedWeight(text, label, float(weights[i])) for text, i in zip(texts, chosen, strict=True)]

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        raise UnsupportedError("Sets of parts are not searched state by state, so there is nothing to trace.")
