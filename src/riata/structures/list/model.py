"""One part of several: what a model asks of it."""

from __future__ import annotations

from typing import Any

from riata._core import CandidateList
from riata.errors import DataError
from riata.models.part_outputs import PartOutputs


class ListOutputs(PartOutputs):
    structure = "list"
    solver = "list"
    single = True

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any], n: int) -> CandidateList:
        if not parts:
            raise DataError("there are no parts, of which one would be the output.")
        return CandidateList(len(parts))


OUTPUTS = ListOutputs
