"""What is to be trained: contestants × seeds × folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata.comparing.contestant import Contestant
from riata.comparing.folds import Indices, others


class Cell(NamedTuple):
    """One training, and what it is scored on."""

    contestant: int
    seed: int
    fold: int


@dataclass(frozen=True, eq=False)
class Examples:
    """Inputs and true outputs of a problem; an index array gives a part of them."""

    inputs: Sequence[Any]
    outputs: Sequence[Any]

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, chosen: NDArray[np.int64]) -> Examples:
        return Examples([self.inputs[i] for i in chosen], [self.outputs[i] for i in chosen])


@dataclass(frozen=True, eq=False)
class Plan:
    """data: what is learnt from, a Corpus or Examples; test: what is scored, or None where folds of the data are."""

    contestants: tuple[Contestant, ...]
    data: Any
    test: Any | None
    folds: tuple[Indices, ...]  # empty where there are test data
    seeds: tuple[int, ...]
    scored: str  # in words

    @property
    def cells(self) -> list[Cell]:
        """All that can be trained, contestant by contestant."""
        able = [i for i, contestant in enumerate(self.contestants) if not contestant.refused]
        return [Cell(i, seed, fold) for i in able for seed in self.seeds for fold in range(len(self.folds) or 1)]

    def estimator(self, cell: Cell) -> Any:
        """The untrained estimator of a cell."""
        given = self.contestants[cell.contestant].estimator
        return type(given)(**{**given.get_params(deep=False), "seed": cell.seed})

    def part(self, cell: Cell) -> Indices | None:
        """The sentences that a cell scores and does not learn from; None: it learns from all, and scores the test data."""
        return self.folds[cell.fold] if self.folds else None

    def name(self, cell: Cell) -> str:
        parts = [self.contestants[cell.contestant].name]
        parts += [f"seed {cell.seed}"] * (len(self.seeds) > 1)
        parts += [f"fold {cell.fold + 1} of {len(self.folds)}"] * bool(self.folds)
        return ", ".join(parts)


def split(data: Any, test: Any | None, part: Indices | None) -> tuple[Any, Any]:
    """What a cell learns from, and what it scores."""
    return (data, test) if part is None else (data[others(part, len(data))], data[part])
