"""So many parts of an input: what a model asks of it."""

from __future__ import annotations

from typing import Any

from riata._core import OutputSet, selection
from riata.errors import DataError
from riata.models.part_outputs import PartOutputs


class SelectionOutputs(PartOutputs):
    structure = "selection"
    solver = "selection"

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any], n: int) -> OutputSet:
        """structure.count: how many parts an output has."""
        if not 0 <= structure.count <= len(parts):
            raise DataError(f"{structure.count} parts are to be chosen of {len(parts)}.")
        return selection(len(parts), structure.count)


OUTPUTS = SelectionOutputs
