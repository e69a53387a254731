"""Links between two sets: what a model asks of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Matching
from riata.errors import DataError, printed
from riata.inference.matching import rooms
from riata.models.part_outputs import PartOutputs, numbered


class MatchingOutputs(PartOutputs):
    structure = "matching"
    solver = "matching"

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any], n: int) -> Matching:
        """Parts are pairs: an element of the one set, and one of the other."""
        for part in parts:
            if not isinstance(part, tuple) or len(part) != 2:
                raise DataError(
                    f"parts(x) gave {printed(part):.60}; expected a pair: an element of the one set, and one of the other.",
                    remedy='With solver = "matching", parts are links.',
                )
        room = rooms(structure.fertility)
        ends = [_numbers([part[side] for part in parts]) for side in (0, 1)]
        numbers = {part: number for number, part in enumerate(parts)}
        given = numbered(numbers, structure.given(x), "given(x) returned")
        if len(set(given)) < len(given):
            raise DataError("given(x) returned a link twice.")
        rows, columns = (np.full(count, most, np.int32) for (_, count), most in zip(ends, room, strict=True))
        return Matching(ends[0][0], ends[1][0], rows, columns, np.array(given, np.int32))


def _numbers(elements: list[Any]) -> tuple[NDArray[np.int32], int]:
    """Elements as numbers, in the order in which they first occur, and how many there are."""
    known: dict[Any, int] = {}
    found = [known.setdefault(element, len(known)) for element in elements]
    return np.array(found, np.int32), len(known)


OUTPUTS = MatchingOutputs
