"""Learning to choose from lists: every candidate is one part of a structure whose outputs have one part."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from riata.problems.structure import Structure
from riata.reranking.candidates import Listed, Named


class Ranking(Structure):
    """One of the candidates, by the features of each. What it costs to choose another one is what that loses."""

    solver = "list"

    def parts(self, x: Listed) -> Iterable[int]:
        return range(len(x))

    def features(self, x: Listed, part: int) -> Named:
        return x.features[part]

    def loss(self, x: Listed, y: int, part: int) -> float:
        assert x.losses is not None
        return float(x.losses[part] - x.losses[y])

    def output(self, x: Listed, parts: list[int]) -> Any:
        return x.outputs[parts[0]]
