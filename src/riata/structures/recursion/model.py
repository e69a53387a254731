"""Sets of parts by a dynamic program of the user's, recorded in Python: what a model asks of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from riata._core import Recorder, Recursion
from riata.errors import DataError, SettingError, printed
from riata.models.part_outputs import PartOutputs


class Tape:
    """Records a recursion: cells that are sums of products of other cells, from parts up to whole outputs.

    A cell stands for something that can be built in several ways, such as a span of the input. What the sum and the product are is
    decided later: for the best output, maximum and sum of scores; for probabilities, sum and product.
    """

    def __init__(self, record: Callable[..., int], parts: Iterable[Any]) -> None:
        self._record = record
        self._cells = {part: number for number, part in enumerate(parts)}

    def __getitem__(self, part: Any) -> int:
        """The cell of a part."""
        try:
            return self._cells[part]
        except (KeyError, TypeError):
            raise DataError(
                f"recursion(x, tape) asks for the part {printed(part):.60}, which parts(x) does not give.",
                remedy="Leave out ways with such parts: `if part in tape`.",
            ) from None

    def __contains__(self, part: Any) -> bool:
        return part in self._cells

    def sum(self, ways: Iterable[Collection[int]], times: int | None = None) -> int:
        """A new cell: the sum, over the ways to build it, of the product of the cells of a way; times one more cell, if it is given.

        No way at all: it cannot be built. The empty way, `()`: it is there without building anything.
        """
        return self._record(ways if isinstance(ways, list) else list(ways), times)

    @property
    def one(self) -> int:
        """A cell that costs nothing, for what is empty."""
        return self.sum([()])


class RecursionOutputs(PartOutputs):
    structure = "recursion"
    written = "recursion"

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any], n: int) -> Recursion:
        recorder = Recorder(len(parts))
        goal = structure.recursion(x, Tape(recorder.sum, parts))
        if isinstance(goal, bool) or not isinstance(goal, (int, np.integer)):
            raise SettingError(f"recursion(x, tape) returned {printed(goal):.40}; expected the cell of whole outputs.")
        return recorder.close(int(goal))


OUTPUTS = RecursionOutputs
