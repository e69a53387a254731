"""Sets of parts that a function of the user's finds: what a model asks of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Solved
from riata.models.part_outputs import PartOutputs, asking, numbered


class SolvedOutputs(PartOutputs):
    structure = "solved"
    written = "best"

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any], n: int) -> Solved:
        numbers = {part: number for number, part in enumerate(parts)}

        def best(scores: NDArray[np.float64]) -> list[int]:
            with asking(f"input {n}: best(x, scores)"):
                return numbered(numbers, structure.best(x, dict(zip(parts, scores.tolist(), strict=True))), "returned")

        return Solved(best, len(parts))


OUTPUTS = SolvedOutputs
