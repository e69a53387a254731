"""Files as the command line takes them: the format by their name, the columns by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from riata.data.columns import read
from riata.data.conllu import FIELDS
from riata.data.types import Column, Corpus
from riata.errors import DataError, UnknownNameError

FORMATS = ("auto", "columns", "conllu")
CONLLU_INPUTS, CONLLU_OUTPUT = (FIELDS.index("form"),), FIELDS.index("xpos")


def is_conllu(path: str | Path, format: str = "auto") -> bool:
    if format not in FORMATS:
        raise UnknownNameError.of("format", format, FORMATS)
    return format == "conllu" or (format == "auto" and str(path).removesuffix(".gz").endswith(".conllu"))


def read_file(path: str | Path, format: str = "auto") -> Corpus:
    """Every column of a file."""
    return read(path, conllu=is_conllu(path, format))


def read_roles(
    path: str | Path,
    *,
    format: str = "auto",
    inputs: Sequence[int] | None = None,
    output: int | Sequence[int] | None = None,
    number: int = 1,
) -> Corpus:
    """The input columns of a file and then its output columns: the last ones and all others, unless told otherwise.

    number: of output columns, where they are not given.
    """
    return with_roles(read_file(path, format), inputs=inputs, output=output, number=number)


def with_roles(
    corpus: Corpus, *, inputs: Sequence[int] | None, output: int | Sequence[int] | None, number: int = 1
) -> Corpus:
    """The same of a file that was read with all its columns."""
    conllu = corpus.format == "conllu"
    outputs: Sequence[int]
    if output is not None:
        outputs = [output] if isinstance(output, int) else output
    else:
        if conllu and number > 1:
            raise DataError(
                "CoNLL-U has no fields for a tag and a chunk label.",
                remedy="Name both with --outputs.",
                file=corpus.name,
            )
        outputs = [CONLLU_OUTPUT] if conllu else range(max(corpus.width - number, 0), corpus.width)
    gold = [o + corpus.width if o < 0 else o for o in outputs]
    if inputs is None:
        inputs = CONLLU_INPUTS if conllu else [i for i in range(corpus.width) if i not in gold]
    inputs = [i + corpus.width if i < 0 else i for i in inputs]
    for column in gold:
        if column in inputs:
            raise DataError(
                f"column {column} is both input and output.", remedy="Give --inputs and --outputs different columns."
            )
    if not inputs:
        have = "one column, which is the output" if number == 1 else f"{corpus.width} columns, for {number} outputs"
        raise DataError(f"the file has {have}; expected at least one input column before it.", file=corpus.name)
    return corpus.select([*inputs, *gold])


def last_columns(corpus: Corpus) -> tuple[Column, Column]:
    """Where tags and chunk labels stand in a file of columns that was read whole."""
    if corpus.width < 2 or corpus.format == "conllu":
        raise DataError("expected a file of columns, the last two of them tags and chunk labels.", file=corpus.name)
    return corpus.columns[-2], corpus.columns[-1]


def output_column(corpus: Corpus) -> Column:
    """Where labels stand in a file read whole: the last column, or the Penn tags of CoNLL-U."""
    return corpus.columns[CONLLU_OUTPUT if corpus.format == "conllu" else -1]


def aligned(gold: Corpus, predicted: Corpus) -> None:
    """Refuses two files that do not hold the same sentences of the same words."""
    if len(gold) != len(predicted):
        raise DataError(
            f"found {len(predicted):,} sentences, but {gold.name} has {len(gold):,}.",
            remedy="Both files must hold the same sentences.",
            file=predicted.name,
        )
    words, predicted_words = (
        corpus.columns[1 if corpus.format == "conllu" else 0].texts() for corpus in (gold, predicted)
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
