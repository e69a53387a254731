"""Files as the command line takes them: the format by their name, the columns by their numbers or names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from riata import registry
from riata.data.columns import STANDARD_INPUT, name_of
from riata.data.formats.base import TAGGING, Asked, ColumnName, FileFormat, Roles, column_number
from riata.data.types import FIELDS, LABELS, Column, Corpus
from riata.errors import DataError, RiataError, SettingError, UnknownNameError, shortened

AUTO, PLAIN, FIELDED = "auto", "columns", "conllu"


def format_of_file(
    path: str | Path, format: str = AUTO, like: str | None = None, columns: Sequence[ColumnName] | None = None
) -> FileFormat:
    """The format of a file: the one named or, if that is auto, by the ending of its name; standard input and pipes, which have no name
    that tells, are in the format that the model was trained on (`like`). Other columns that are asked for by a field's name are of CoNLL-U.
    """
    known: dict[str, FileFormat] = registry.all_of("format")
    if format != AUTO:
        if format not in known:
            raise UnknownNameError.of("format", format, (AUTO, *known))
        return known[format]
    nameless = str(path) == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path))
    ending = str(path).removesuffix(".gz")
    found = [like] if nameless and like in known else []
    found += [] if nameless else [name for name, one in known.items() if ending.endswith(one.endings)]
    chosen = known[found[0] if found else PLAIN]
    return known[FIELDED] if not chosen.open and any(column in FIELDS for column in columns or ()) else chosen


def format_of_corpus(corpus: Corpus) -> FileFormat:
    """The format that a corpus was read in; that of columns, if it is none of files."""
    return _format(corpus.format)


@cache
def _format(name: str) -> FileFormat:
    found: FileFormat = registry.get("format", name if name in registry.names("format") else PLAIN)
    return found


def read_file(
    path: str | Path,
    format: str = AUTO,
    like: str | None = None,
    columns: Sequence[ColumnName] | None = None,
    documents: ColumnName | None = None,
) -> Corpus:
    """Every column of a file; of a file of roles, the propositions too. like: the format that a model was trained on, in which it reads
    what has no name.

    columns: those that are asked for. documents: the column that names the document of each sentence.
    """
    named = asked_for(columns, documents)
    chosen = format_of_file(path, format, like, named)
    if named and chosen.own_columns:
        raise SettingError(
            f"{chosen.own_columns} has its own columns.",
            remedy="Leave out --inputs, --outputs and --documents.",
        )
    return chosen.read(path, Asked(documents=documents))


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
    if format_of_corpus(corpus).own_columns:
        return corpus
    return with_roles(corpus, inputs=inputs, output=output, number=number, documents=documents, fields=fields)


def asked_for(*names: ColumnName | Sequence[ColumnName] | None) -> list[ColumnName]:
    """All columns that are named, by number or by the field of CoNLL-U."""
    found: list[ColumnName] = []
    for each in names:
        found += [each] if isinstance(each, (int, str)) else each or ()
    return found


def names_of(corpus: Corpus) -> tuple[str, ...]:
    """The names of the columns of a file that was read whole, where they have some."""
    return format_of_corpus(corpus).fields or corpus.names


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
    return replace(found, candidate_columns=candidate_columns(corpus)) if silent else found


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
    return format_of_corpus(corpus).outputs(corpus, number, apart, fields)


def _inputs(corpus: Corpus, others: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
    return format_of_corpus(corpus).inputs(corpus, others, fields)


def _numbers(corpus: Corpus, names: Sequence[ColumnName]) -> list[int]:
    try:
        numbers = [column_number(name, names_of(corpus)) for name in names]
    except RiataError as error:
        raise error.located(corpus.name) from None
    return [i + corpus.width if i < 0 else i for i in numbers]


def column_in(corpus: Corpus, name: ColumnName) -> int:
    """The number of a column of a file that was read whole, from 0."""
    return _numbers(corpus, [name])[0]


def _shown(corpus: Corpus, column: int) -> ColumnName:
    names = names_of(corpus)
    return names[column] if column < len(names) else column


def last_columns(
    corpus: Corpus, outputs: Sequence[ColumnName] | None = None, documents: int | None = None, fields: Roles = TAGGING
) -> tuple[Column, Column]:
    """Two outputs of a file that was read whole: those named, or else the last two columns, or fields of CoNLL-U.

    documents: the number of the column that names documents, which counts for none.
    """
    chosen = _outputs(corpus, outputs, 2, _numbers(corpus, asked_for(documents)), fields)
    if outputs is None and len(chosen) < 2:
        raise DataError("expected a file of columns, the last two of them the outputs.", file=corpus.name)
    first, second = _named(corpus, chosen, 2)
    return first, second


def output_column(corpus: Corpus, outputs: Sequence[ColumnName] | None = None, documents: int | None = None) -> Column:
    """Where labels stand in a file read whole: the column named, or else the last one, or the Penn tags of CoNLL-U.

    documents: as for `last_columns`.
    """
    chosen = _outputs(corpus, outputs, 1, _numbers(corpus, asked_for(documents)), TAGGING)
    if not chosen:
        raise DataError("the file has one column, that of documents; expected labels in another.", file=corpus.name)
    return _named(corpus, chosen, 1)[0]


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
    words, predicted_words = (corpus.columns[format_of_corpus(corpus).words].texts() for corpus in (gold, predicted))
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


MOST = 2_000  # different values of a column of labels
EXAMPLES = 3
EMPTY = "_"  # in CoNLL-U


def candidate_columns(corpus: Corpus) -> str:
    """The columns of a file, read whole, that hold several labels, each with some of them; empty where there is none."""
    return "; ".join(_candidates(corpus))


def says_nothing(column: Column) -> bool:
    return len(column.used()) <= 1


def constant_gold(gold: Column, known: Collection[str], corpus: Corpus, who: str) -> str:
    """What to say of gold labels that are all the same and that nobody gives; empty where they can be scored.

    known: the labels that can be right. who: what the sentence says of a label that is not among them. corpus: the file that holds them,
    read whole.
    """
    used = gold.used()
    label = gold.alphabet.text(int(used[0])) if len(used) == 1 else ""
    if not label or (label in known and label != EMPTY):
        return ""
    why = "an empty value" if label == EMPTY else f"which {who}"
    columns = candidate_columns(corpus)
    remedy = (
        f"Columns with several values: {columns}. Choose one with --outputs." if columns else "Is it the right file?"
    )
    return f"Every gold label in {corpus.name} is {shortened(repr(label))}, {why}, so the score says nothing. {remedy}"


def _candidates(corpus: Corpus) -> Iterator[str]:
    conllu = corpus.format == "conllu" and corpus.width == len(FIELDS)
    for number, column in enumerate(corpus.columns):
        if number == 0 or (conllu and FIELDS[number] not in LABELS):
            continue
        counts = np.bincount(column.ids, minlength=len(column.alphabet))
        values = int(np.count_nonzero(counts))
        if 1 < values <= MOST:
            often = np.argsort(-counts, kind="stable")[:EXAMPLES]
            texts = ", ".join(column.alphabet.text(int(i)) for i in often if counts[i])
            yield f"{FIELDS[number] if conllu else number} ({values:,} values: {texts}{', …' * (values > EXAMPLES)})"
