"""JSON lines, the format of annotation tools and of data sets on the web."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from riata.data.columns import cleaning, write
from riata.data.files import read_file, with_roles
from riata.data.formats.base import ColumnName, splitting
from riata.data.json_lines.writing import formatted
from riata.data.memory import as_corpus
from riata.data.running_text import Tokenizer
from riata.data.types import Corpus


def read_jsonl(
    path: str | Path,
    *,
    inputs: Sequence[ColumnName] | None = None,
    output: ColumnName | Sequence[ColumnName] | None = None,
    documents: ColumnName | None = None,
    tokenizer: Tokenizer | None = None,
    misaligned: str = "widen",
    clean: bool = False,
) -> Corpus:
    """Reads JSON lines, plain or gzip ("-" is standard input): tokens with tags, or texts with spans, as annotation tools write them.

    The first column is the words; the last is the labels, spans as IOB2 tags. inputs, output: keys of the objects, where not all lists
    are to be read. documents: the key that names the document of each object.
    tokenizer: your function from a text to its words; None: words and marks of punctuation. misaligned: what becomes of spans that
    begin or end inside a word: widen, drop or refuse. clean: as in `read_columns`.

    >>> _ = open("a.jsonl", "w").write('{"text": "Ines is in Porto.", "spans": [{"start": 11, "end": 16, "label": "LOC"}]}')
    >>> list(riata.read_jsonl("a.jsonl")[0])
    [('Ines', 'O'), ('is', 'O'), ('in', 'O'), ('Porto', 'B-LOC'), ('.', 'O')]
    """
    with splitting(tokenizer, misaligned), cleaning(clean):
        corpus = read_file(path, "jsonl", documents=documents)
    if inputs is None and output is None:
        return corpus
    return with_roles(corpus, inputs=inputs, output=output, documents=documents)


def write_jsonl(
    data: Corpus | Sequence[Any], path: str | Path, *, names: Sequence[str] | None = None, spans: bool = False
) -> None:
    """Writes a corpus, or a list of sentences, one object per line, as `read_jsonl` reads it; compressed where the name ends in .gz.

    names: of the columns; None: those that they were read with, or `tokens`, `column1` and so on, and `tags`. spans: with the words
    as a text, and the chunks of the last column as spans of its characters, for tools of annotation.

    >>> riata.write_jsonl([[("Porto", "B-LOC"), (".", "O")]], "a.jsonl")
    >>> print(open("a.jsonl").read().strip())
    {"tokens": ["Porto", "."], "tags": ["B-LOC", "O"]}
    """
    write(formatted(as_corpus(data, names=False), names, spans=spans), path)
