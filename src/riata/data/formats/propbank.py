"""Semantic roles: ten columns and one for each predicate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from riata.data.formats.base import Answers, Asked, FileFormat
from riata.data.propbank import RoleCorpus, formatted, read_propbank, stream
from riata.data.types import Corpus

if TYPE_CHECKING:
    import threading


class Propbank(FileFormat):
    name = "propbank"
    summary = "semantic roles: ten columns, and one for each predicate of the sentence"
    words = 1
    own_columns = "a file of roles"

    def read(self, path: str | Path, asked: Asked) -> Corpus:
        return read_propbank(path)

    def stream(
        self, path: str | Path, asked: Asked, *, size: int | None = None, stopped: threading.Event | None = None
    ) -> Iterator[Corpus]:
        return stream(path, stopped)

    def labelled(self, batch: Corpus, answers: Answers) -> bytes:
        """Roles are no columns: the batch has them itself."""
        assert isinstance(batch, RoleCorpus)
        return b"".join(formatted(batch))


FORMAT = Propbank()
