"""JSON lines: an object per sentence, with tokens and labels, or with a text and spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from riata.data.formats.base import Answers, Asked, ColumnName, FileFormat, Roles, all_but
from riata.data.types import Corpus
from riata.errors import DataError

if TYPE_CHECKING:
    import threading

TREE = ("heads", "deprels")
READ_BY_PARSERS = ("tokens", "upos", "xpos", "feats")


class JsonLines(FileFormat):
    name = "jsonl"
    summary = "JSON lines: an object per sentence, with tokens and tags, or with a text and spans"
    endings = (".jsonl", ".ndjson", ".json")
    open = True

    def read(self, path: str | Path, asked: Asked) -> Corpus:
        from riata.data.json_lines.reading import read

        return read(path, asked)

    def stream(
        self, path: str | Path, asked: Asked, *, size: int | None = None, stopped: threading.Event | None = None
    ) -> Iterator[Corpus]:
        from riata.data.json_lines.reading import stream

        return stream(path, asked, size, stopped)

    def outputs(self, corpus: Corpus, number: int, apart: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
        if is_tree(fields):
            return TREE  # refused by name where a file has none
        found = [i for i in all_but(corpus, apart) if i > 0 and corpus.names[i] not in TREE]
        if len(found) < number:
            raise DataError(
                f"the objects have tokens and {len(found)} list{'s' * (len(found) != 1)} of labels; expected {number}.",
                remedy='Labels are "tags", with a value for each token, or "spans"; docs/data.md shows all forms.',
                file=corpus.name,
            )
        return found[-number:]

    def inputs(self, corpus: Corpus, others: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
        names = [corpus.names[i] for i in all_but(corpus, others) if corpus.names[i] not in TREE]
        return [name for name in READ_BY_PARSERS if name in names] if is_tree(fields) else names

    def labelled(self, batch: Corpus, answers: Answers) -> bytes:
        from riata.data.json_lines.writing import labelled

        return labelled(batch, answers)


def is_tree(fields: Roles) -> bool:
    """Whether the outputs of a task are trees."""
    return fields.outputs == ("head", "deprel")


FORMAT = JsonLines()
