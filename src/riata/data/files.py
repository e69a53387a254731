"""Files as the command line takes them: the format by their name, the columns by their numbers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from riata.data.columns import read
from riata.data.conllu_fields import FIELDS, TAGGING, Roles
from riata.data.elsewhere import elsewhere, says_nothing
from riata.data.propbank import FORMAT as PROPBANK
from riata.data.propbank import read_propbank
from riata.data.source import STANDARD_INPUT, name_of
from riata.data.types import Column, Corpus
from riata.errors import DataError, RiataError, SettingError, UnknownNameError

ColumnName = int | str  # a number, or a field of CoNLL-U
FORMATS = ("auto", "columns", "conllu", PROPBANK)
CONLLU_OUTPUT = FIELDS.index("xpos")


def is_conllu(
    path: str | Path, format: str = "auto", like: str | None = None, columns: Sequence[ColumnName] | None = None
) -> bool:
    """Whether a file is CoNLL-U: by the format or, if that is auto, by its name; standard input and pipes, which have no name
    that tells, are in the format that the model was trained on (`like`). Columns that are asked for by name are of CoNLL-U.
    """
    if format not in FORMATS:
        raise UnknownNameError.of("format", format, FORMATS)
    if format != "auto":
        return format == "conllu"
    if any(column in FIELDS for column in columns or ()):
        return True
    nameless = str(path) == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path))
    return like == "conllu" if nameless else str(path).removesuffix(".gz").endswith(".conllu")


def read_file(
    path: str | Path,
    format: str = "auto",
    like: str | None = None,
    columns: Sequence[ColumnName] | None = None,
    documents: ColumnName | None = None,
) -> Corpus:
    """Every column of a file; of a file of roles, the propositions too. like: the format that a model was trained on, in which it reads
    what has no name.

    columns: those that are asked for. documents: the column that names the document of each sentence.
    """
    if format == PROPBANK:
        return _roles(path, asked_for(columns, documents))
    conllu = is_conllu(path, format, like, asked_for(columns, documents))
    return read(path, conllu=conllu, documents=documents_column(documents, path, conllu=conllu))


def _roles(path: str | Path, asked: Sequence[ColumnName]) -> Corpus:
    if asked:
        raise SettingError(
            "a file of roles has its own columns.", remedy="Leave out --inputs, --outputs and --documents."
        )
    return read_propbank(path)


def documents_column(documents: ColumnName | None, path: str | Path, *, conllu: bool) -> int | None:
    """The number of the column that names documents."""
    try:
        return None if documents is None else column_number(documents, conllu=conllu)
    except RiataError as error:
        raise error.located(name_of(path)) from None


def read_roles(
    path: str | Path,
    *,
    format: str = "auto",
    inputs: Sequence[ColumnName] | None = None,
    output: ColumnName | Sequence[ColumnName] | None = None,
    number: int = 1,
    documents: ColumnName | None = None,
    fields: Roles = TAGGING,
) -> Corpus:
    """The input columns of a file and then its output columns: the last ones and all others, unless told otherwise.

    number: of output columns, where they are not given. documents: the column that names the document of each sentence, which has no other
    role unless inputs name it too. fields: what is read of CoNLL-U.
    """
    corpus = read_file(path, format, columns=asked_for(inputs, output), documents=documents)
    if format == PROPBANK:
        return corpus
    return with_roles(corpus, inputs=inputs, output=output, number=number, documents=documents, fields=fields)


def asked_for(*names: ColumnName | Sequence[ColumnName] | None) -> list[ColumnName]:
    """All columns that are named, by number or by the field of CoNLL-U."""
    found: list[ColumnName] = []
    for each in names:
        found += [each] if isinstance(each, (int, str)) else each or ()
    return found


def column_number(name: ColumnName, *, conllu: bool) -> int:
    """A column by its number, or a field of CoNLL-U by its name."""
    if isinstance(name, int):
        return name
    if name not in FIELDS:
        raise UnknownNameError.of(
            "CoNLL-U field" if conllu else "column", name, FIELDS, remedy="Or give columns by number, from 0."
        )
    if not conllu:
        raise DataError(
            f"{name!r} is a field of CoNLL-U, and this is a file of columns, which have no names.",
            remedy="Give columns by number, from 0; if it is CoNLL-U, add --format conllu.",
        )
    return FIELDS.index(name)


def with_roles(
    corpus: Corpus,
    *,
    inputs: Sequence[ColumnName] | None,
    output: ColumnName | Sequence[ColumnName] | None,
    number: int = 1,
    documents: ColumnName | None = None,
    fields: Roles = TAGGING,
) -> Corpus:
    """The same of a file that was read with all its columns, documents marked."""
    apart = _numbers(corpus, asked_for(documents))
    gold = _numbers(corpus, _outputs(corpus, output, number, apart, fields))
    read = _numbers(corpus, inputs if inputs is not None else _inputs(corpus, [*gold, *apart], fields))
    for column in gold:
        if column in apart:
            raise DataError(
                f"column {_shown(corpus, column)} is both the output and the column of documents.",
                remedy="Give --outputs and --documents different columns.",
            )
        if column in read:
            raise DataError(
                f"column {_shown(corpus, column)} is both input and output.",
                remedy="Give --inputs and --outputs different columns.",
            )
    if not read:
        width = corpus.width - len(apart)
        have = "one column, which is the output" if number == 1 else f"{width} columns, for {number} outputs"
        have += ", beside that of documents" * len(apart)
        raise DataError(f"the file has {have}; expected at least one input column before it.", file=corpus.name)
    found = corpus.select([*read, *gold])
    silent = any(map(says_nothing, found.columns[len(read) :]))
    return replace(found, elsewhere=elsewhere(corpus)) if silent else found


def _outputs(
    corpus: Corpus,
    output: ColumnName | Sequence[ColumnName] | None,
    number: int,
    apart: Sequence[int],
    fields: Roles,
) -> Sequence[ColumnName]:
    """apart: columns that are no outputs, unless they are named."""
    if output is not None:
        return asked_for(output)
    if corpus.format != "conllu":
        return _all_but(corpus, apart)[-number:]
    if number != len(fields.outputs):
        raise DataError(
            "CoNLL-U has no fields for a tag and a chunk label.",
            remedy="Name both with --outputs.",
            file=corpus.name,
        )
    return fields.outputs


def _inputs(corpus: Corpus, others: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
    if corpus.format != "conllu":
        return _all_but(corpus, others)
    return [name for name in fields.inputs if FIELDS.index(name) not in others]


def _all_but(corpus: Corpus, columns: Sequence[ColumnName]) -> list[int]:
    return [i for i in range(corpus.width) if i not in columns]


def _numbers(corpus: Corpus, names: Sequence[ColumnName]) -> list[int]:
    try:
        numbers = [column_number(name, conllu=corpus.format == "conllu") for name in names]
    except RiataError as error:
        raise error.located(corpus.name) from None
    return [i + corpus.width if i < 0 else i for i in numbers]


def column_in(corpus: Corpus, name: ColumnName) -> int:
    """The number of a column of a file that was read whole, from 0."""
    return _numbers(corpus, [name])[0]


def _shown(corpus: Corpus, column: int) -> ColumnName:
    return FIELDS[column] if corpus.format == "conllu" and column < len(FIELDS) else column


def last_columns(
    corpus: Corpus, outputs: Sequence[ColumnName] | None = None, documents: int | None = None, fields: Roles = TAGGING
) -> tuple[Column, Column]:
    """Two outputs of a file that was read whole: those named, or else the last two columns, or fields of CoNLL-U.

    documents: the number of the column that names documents, which counts for none.
    """
    if outputs is None and corpus.format == "conllu" and len(fields.outputs) == 2:
        outputs = fields.outputs
    if outputs is not None:
        first, second = _named(corpus, outputs, 2)
        return first, second
    labels = _all_but(corpus, asked_for(documents))[-2:]
    if len(labels) < 2 or corpus.format == "conllu":
        raise DataError("expected a file of columns, the last two of them the outputs.", file=corpus.name)
    return corpus.columns[labels[0]], corpus.columns[labels[1]]


def output_column(corpus: Corpus, outputs: Sequence[ColumnName] | None = None, documents: int | None = None) -> Column:
    """Where labels stand in a file read whole: the column named, or else the last one, or the Penn tags of CoNLL-U.

    documents: as for `last_columns`.
    """
    if outputs is not None:
        return _named(corpus, outputs, 1)[0]
    if corpus.format == "conllu":
        return corpus.columns[CONLLU_OUTPUT]
    labels = _all_but(corpus, asked_for(documents))
    if not labels:
        raise DataError("the file has one column, that of documents; expected labels in another.", file=corpus.name)
    return corpus.columns[labels[-1]]


def _named(corpus: Corpus, outputs: Sequence[ColumnName], number: int) -> tuple[Column, ...]:
    if len(outputs) != number:
        raise SettingError(f"expected {number} output column{'s' * (number != 1)}; --outputs names {len(outputs)}.")
    return corpus.select(_numbers(corpus, outputs)).columns


def aligned(gold: Corpus, predicted: Corpus) -> None:
    """Refuses two files that do not hold the same sentences of the same words."""
    if len(gold) != len(predicted):
        raise DataError(
            f"found {len(predicted):,} sentences, but {gold.name} has {len(gold):,}.",
            remedy="Both files must hold the same sentences.",
            file=predicted.name,
        )
    words, predicted_words = (
        corpus.columns[0 if corpus.format == "columns" else 1].texts() for corpus in (gold, predicted)
    )
    pairs = zip(words, predicted_words, strict=False)
    different = np.flatnonzero(gold.starts != predicted.starts)
    token = next((t for t, (a, b) in enumerate(pairs) if a != b), None)
    if len(different) and (token is None or token > gold.starts[different[0] - 1]):
        token = int(min(gold.starts[different[0]], predicted.starts[different[0]])) - 1
    if token is not None:
        raise DataError(
            f"the sentences differ from those of {gold.name} (line {gold.line_of(token)} there).",
            remedy="Both files must hold the same tokens and blank lines.",
            file=predicted.name,
            line=predicted.line_of(token),
        )
