"""Column files: one token per line, columns between tabs or spaces, a blank line after each sentence."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from riata._core import ColumnParser
from riata.data.memory import label_column
from riata.data.source import STANDARD_INPUT, name_of, pieces
from riata.data.types import Column, Corpus
from riata.errors import DataError, RiataError


def read_columns(path: str | Path) -> Corpus:
    """Reads a column file, plain or gzip ("-" is standard input).

    Tabs or runs of spaces separate the columns, as the first line has them; CRLF, a byte order mark and -DOCSTART- lines are
    understood. Raises DataError with file and line on ragged columns, text that is not UTF-8, or a file without tokens.
    """
    return read(path, conllu=False)


def read(path: str | Path, *, conllu: bool) -> Corpus:
    parser = ColumnParser(conllu)
    try:
        for piece in pieces(path):
            parser.feed(piece)
        parser.finish()
    except RiataError as error:
        raise error.located(name_of(path)) from None
    corpus = _corpus(parser, name_of(path), conllu)
    if corpus.tokens == 0:
        raise DataError(
            "the file holds no tokens (it is empty, or has only blank lines).",
            remedy="Expected one token per line and a blank line after each sentence.",
            file=corpus.name,
        )
    return corpus


def stream(path: str | Path, *, conllu: bool = False) -> Iterator[Corpus]:
    """The sentences of a file in batches, as they can be read: constant memory, and answers before the input ends."""
    parser = ColumnParser(conllu)
    seen = False
    try:
        for piece in pieces(path):
            parser.feed(piece)
            batch = _corpus(parser, name_of(path), conllu)
            if batch.tokens:
                seen = True
                yield batch
        parser.finish()
    except RiataError as error:
        raise error.located(name_of(path)) from None
    batch = _corpus(parser, name_of(path), conllu)
    if batch.tokens:
        yield batch
    elif not seen:
        raise DataError("the input holds no tokens.", remedy="Expected one token per line.", file=name_of(path))


def _corpus(parser: ColumnParser, name: str, conllu: bool) -> Corpus:
    parts: dict[str, Any] = parser.take()
    columns = tuple(Column(a, i) for a, i in zip(parts["alphabets"], parts["ids"], strict=True))
    return Corpus(
        columns=columns,
        starts=parts["starts"],
        name=name,
        lines=parts["lines"],
        documents=tuple(parts["documents"]),
        comments=tuple(parts["comments"]),
        separator=parser.separator,
        format="conllu" if conllu else "columns",
    )


def write_columns(corpus: Corpus, path: str | Path, extra: Sequence[Sequence[Sequence[str]]] = ()) -> None:
    """Writes a corpus as it was read, with further columns (lists of labels per sentence) after its own."""
    write(formatted(corpus, extra), path)


def write(lines: Iterable[str], path: str | Path) -> None:
    """Writes text to a file, compressed where its name ends in .gz ("-" is standard output)."""
    if str(path) == STANDARD_INPUT:
        sys.stdout.writelines(lines)
        return
    try:
        opened = gzip.open if str(path).endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}.", file=path) from None


def with_texts(corpus: Corpus, column: int, sentences: Sequence[Sequence[str]]) -> Corpus:
    """The corpus with other texts in one column."""
    changed = list(corpus.columns)
    changed[column] = Column.of([text for sentence in sentences for text in sentence])
    return replace(corpus, columns=tuple(changed))


def formatted(corpus: Corpus, extra: Sequence[Sequence[Sequence[str]]] = ()) -> Iterator[str]:
    """One string per sentence: its lines and the blank line after it."""
    texts = [column.texts() for column in (*corpus.columns, *(label_column(labels, corpus) for labels in extra))]
    # A single column has no separator to tell the reader of, so it may hold neither.
    check_writable(texts, "\t\n" if corpus.separator == "\t" and len(texts) > 1 else " \t\n")
    return _formatted(corpus, texts)


def check_writable(columns: Iterable[Sequence[str]], forbidden: str) -> None:
    """Refuses texts that a reader of the file would take for something else."""
    for column, texts in enumerate(columns):
        bad = next((text for text in dict.fromkeys(texts) if not text or any(c in text for c in forbidden)), None)
        if bad is not None:
            raise DataError(
                f"column {column} holds {bad!r}, which a column file cannot: a text is not empty and has none of {forbidden!r}.",
                remedy="Write _ for an empty value or a space.",
            )


def _formatted(corpus: Corpus, texts: Sequence[Sequence[str]]) -> Iterator[str]:
    documents: dict[int, list[str]] = {}
    for text, sentence in corpus.documents:
        documents.setdefault(sentence, []).append(text)
    for s in range(len(corpus)):
        low, high = int(corpus.starts[s]), int(corpus.starts[s + 1])
        rows = zip(*(t[low:high] for t in texts), strict=True)
        lines = [f"{text}\n\n" for text in documents.get(s, ())]
        lines += [f"{corpus.comments[s]}\n"] if corpus.comments and corpus.comments[s] else []
        lines += [corpus.separator.join(row) + "\n" for row in rows]
        yield "".join(lines) + "\n"
