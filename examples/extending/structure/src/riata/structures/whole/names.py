"""The weights of labels of whole sentences, with names that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from riata.errors import UnsupportedError
from riata.models.outputs import Weights
from riata.models.weights_by_name import NamedWeight, WeightsByName, ngram_texts
from riata.structures.whole.model import PRECISIONS


class WholeWeightsByName(WeightsByName):
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        found = {label: list(self._named(label)) for label in labels or self.model.labels}
        return {label: sorted(named, key=lambda one: -abs(one.weight))[:top] for label, named in found.items()}

    def _named(self, label: str) -> list[NamedWeight]:
        features, weights = self.model.features, self.model.weights_as(PRECISIONS)
        pairs = [features.index.pairs(family) for family in range(len(features.program.families))]
        flat, column, found = weights.flat(), self.model.labels.index(label), []
        for number, (template, (family, _, _)) in enumerate(zip(features.program.templates, features.program.reads, strict=True)):
            for ngram, place in enumerate(weights.rows(features.index, number).tolist()):
                if flat[place + column]:
                    texts = zip(template.reads, ngram_texts(self.model, pairs, family, ngram), strict=True)
                    name = " ".join(f"{read}={text}" for read, text in texts)
                    found.append(NamedWeight(name, label, float(flat[place + column])))
        return found

    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        raise UnsupportedError("Whole sentences are not searched, so there is nothing to trace.")


NAMES = WholeWeightsByName
