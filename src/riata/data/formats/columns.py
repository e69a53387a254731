"""Columns between tabs or spaces, a token per line, a blank line after each sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from riata.data import columns
from riata.data.columns import name_of
from riata.data.files import column_number
from riata.data.formats.base import Answers, Asked, FileFormat
from riata.data.json_lines.splitting import refuse_splitting
from riata.data.types import Corpus
from riata.errors import RiataError

if TYPE_CHECKING:
    import threading


class ColumnFormat(FileFormat):
    name = "columns"
    summary = "columns between tabs or spaces, one token per line; the last one is the output"

    def read(self, path: str | Path, asked: Asked) -> Corpus:
        return columns.read(path, conllu=bool(self.fields), documents=self._documents(path, asked))

    def stream(
        self, path: str | Path, asked: Asked, *, size: int | None = None, stopped: threading.Event | None = None
    ) -> Iterator[Corpus]:
        number = self._documents(path, asked)
        return columns.stream(path, conllu=bool(self.fields), documents=number, size=size, stopped=stopped)

    def _documents(self, path: str | Path, asked: Asked) -> int | None:
        """The number of the column that names documents."""
        try:
            refuse_splitting("files of columns")
            return None if asked.documents is None else column_number(asked.documents, self.fields)
        except RiataError as error:
            raise error.located(name_of(path)) from None

    def labelled(self, batch: Corpus, answers: Answers) -> bytes:
        notes = [str(rank) for rank in answers.ranks]
        return b"".join(columns.formatted(batch, [*answers.columns, *answers.confidences], notes))


FORMAT = ColumnFormat()
