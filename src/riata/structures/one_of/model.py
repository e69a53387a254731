"""One part of several: what a model asks of it."""

from __future__ import annotations

from typing import Any

from riata._core import OneOf
from riata.errors import DataError
from riata.models.part_outputs import PartOutputs


class OneOfOutputs(PartOutputs):
    structure = "one-of"
    single = True

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any]) -> OneOf:
        if not parts:
            raise DataError("there are no parts, of which one would be the output.")
        return OneOf(len(parts))


OUTPUTS = OneOfOutputs
