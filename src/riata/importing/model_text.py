"""A file of another tool, and messages that name its lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riata.errors import ModelFileError
from riata.models.parts import LARGEST_WEIGHT, MOST_LABELS, MOST_MEMORY

WHOLE = "Is the file complete? Write it again with the tool that made it."


@dataclass(frozen=True, eq=False)
class ModelText:
    path: str
    content: bytes

    @classmethod
    def of(cls, path: str | Path) -> ModelText:
        size = Path(path).stat().st_size
        if size > MOST_MEMORY:
            raise ModelFileError(
                f"the file has {size / 2**30:.1f} GiB, more than the {MOST_MEMORY >> 30} GiB allowed.", file=path
            )
        return cls(str(path), Path(path).read_bytes())

    @cached_property
    def lines(self) -> list[str]:
        """Without their ends. What Unicode calls a line separator may stand inside a feature, and ends no line."""
        text = self.decoded(self.content, 0)
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return [line.removesuffix("\r") for line in lines] if "\r" in text else lines

    def decoded(self, part: bytes, at: int) -> str:
        """The text of bytes that start there in the file."""
        try:
            return part.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, at + error.start) + 1
            raise self.error("not valid UTF-8.", line, "Convert the model and the data to UTF-8.") from None

    def error(self, message: str, line: int | None = None, remedy: str = WHOLE) -> ModelFileError:
        """line: from 1."""
        return ModelFileError(message, remedy=remedy, file=self.path, line=line)

    def check_last_line(self) -> None:
        """Refuses a text whose last number may have been cut off."""
        if not self.content.endswith(b"\n"):
            raise self.error("the file ends inside a line.", self.content.count(b"\n") + 1)

    def labels(self, labels: Sequence[str], line: int | None) -> tuple[str, ...]:
        """These labels, once they are known to be usable. line: of the first, where they stand on lines of their own."""
        if not labels:
            raise self.error("the model has no labels.", line)
        if len(labels) > MOST_LABELS:
            raise self.error(f"the model has {len(labels):,} labels; a chain takes at most {MOST_LABELS:,}.", line)
        seen: set[str] = set()
        for i, label in enumerate(labels):
            if not label or label in seen:
                message = f"the label {label!r} is there twice." if label else "a label is empty."
                raise self.error(message, None if line is None else line + i)
            seen.add(label)
        return tuple(labels)

    def numbers(self, texts: Sequence[str], line: int) -> NDArray[np.float64]:
        """The numbers on lines of their own, of which this is the first."""
        try:
            found = np.array(list(map(float, texts)), np.float64)
        except ValueError:
            found = np.array([math.nan])
        if not (np.abs(found) <= LARGEST_WEIGHT).all():
            for i, text in enumerate(texts):
                self.number(text, line + i)
        return found

    def number(self, text: str, line: int | None) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not abs(number) <= LARGEST_WEIGHT:
            raise self.error(f"the weight is {text!r:.60}; expected a finite number up to {LARGEST_WEIGHT:g}.", line)
        return number
