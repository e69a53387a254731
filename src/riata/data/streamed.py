"""Files that are too long to hold: read in parts, as often as it takes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riata.data.conllu_fields import TAGGING, Roles
from riata.data.files import asked_for, format_of_file, with_roles
from riata.data.formats.base import Asked, ColumnName
from riata.data.source import STANDARD_INPUT, name_of
from riata.data.types import Corpus
from riata.errors import DataError

PART = 4 << 20  # bytes of text that are held at a time


@dataclass(frozen=True)
class ColumnFile:
    """A file of columns and the roles that these have: the last one is the output and all others are inputs, unless told otherwise.

    format: of files, by name; auto goes by the file's name.
    """

    path: str | Path
    format: str = "auto"
    inputs: Sequence[ColumnName] | None = None
    output: ColumnName | Sequence[ColumnName] | None = None
    number: int = 1  # of output columns, where they are not given
    documents: ColumnName | None = None  # the column that names the document of each sentence
    fields: Roles = TAGGING  # what is read of CoNLL-U

    @classmethod
    def of(cls, given: Any) -> ColumnFile:
        """From itself or a path; refuses what cannot be read twice."""
        if not isinstance(given, (ColumnFile, str, Path)):
            raise DataError(
                f"stream=True needs a file, found {type(given).__name__}.",
                remedy="Give the path of a column file, or leave out stream: what is in memory already needs none.",
            )
        file = given if isinstance(given, ColumnFile) else cls(given)
        is_input = str(file.path) == STANDARD_INPUT
        if is_input or (os.path.exists(file.path) and not os.path.isfile(file.path) and not os.path.isdir(file.path)):
            raise DataError(
                "stream=True reads the data once per epoch, and this cannot be read twice.",
                remedy="Write the data to a file first, or leave out stream.",
                file=name_of(file.path),
            )
        return file

    @property
    def name(self) -> str:
        return name_of(self.path)

    def parts(self) -> Iterator[Corpus]:
        """The sentences in the order of the file, inputs first and output last, as many at a time as PART bytes hold."""
        named = asked_for(self.inputs, self.output, self.documents)
        format = format_of_file(self.path, self.format, columns=named)
        for part in format.stream(self.path, Asked(documents=self.documents), size=PART):
            yield with_roles(
                part,
                inputs=self.inputs,
                output=self.output,
                number=self.number,
                documents=self.documents,
                fields=self.fields,
            )
