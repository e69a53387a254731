"""The weights of a model with a kernel: those of pairs of labels have names; the others are coefficients of tokens, not of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from riata.errors import UnsupportedError
from riata.models.outputs import Weights
from riata.models.parts import row_width
from riata.models.weights_by_name import NamedWeight, WeightsByName


class KernelWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        raise self._refusal()

    def trace_refusal(self) -> UnsupportedError:
        return self._refusal()

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        raise self._refusal()

    def all_transitions(self) -> dict[tuple[str, str], float]:
        labels = self.model.labels
        rows = self.model.weights.flat()[: len(labels) * row_width(len(labels))].reshape(len(labels), -1)
        pairs = ((a, b, float(rows[i, j])) for i, a in enumerate(labels) for j, b in enumerate(labels))
        return {(before, after): weight for before, after, weight in pairs if weight}

    def transitions(self, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
        found = [
            NamedWeight("edge", f"{a} -> {b}", weight)
            for (a, b), weight in self.all_transitions().items()
            if labels is None or a in labels or b in labels
        ]
        return sorted(found, key=lambda named: -abs(named.weight))[:top]

    def _refusal(self) -> UnsupportedError:
        return UnsupportedError(
            "the model has a kernel: its scores come from support tokens, and no feature has a weight of its own.",
            remedy="transition_features_ gives the weights of label pairs; for weights of features, use the structure chain.",
        )


NAMES = KernelWeightsByName
