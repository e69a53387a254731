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
    path: str | Path, *, format: str = "auto", inputs: Sequence[int] | None = None, output: int | None = None
) -> Corpus:
    """The input columns of a file and then its output column: the last one and all others, unless told otherwise."""
    return with_roles(read_file(path, format), inputs=inputs, output=output)


def with_roles(corpus: Corpus, *, inputs: Sequence[int] | None, output: int | None) -> Corpus:
    """The same of a file that was read with all its columns."""
    conllu = corpus.format == "conllu"
    gold = (CONLLU_OUTPUT if conllu else corpus.width - 1) if output is None else output
    gold = gold + corpus.width if gold < 0 else gold
    if inputs is None:
        inputs = CONLLU_INPUTS if conllu else [i for i in range(corpus.width) if i != gold]
    inputs = [i + corpus.width if i < 0 else i for i in inputs]
    if gold in inputs:
        raise DataError(
            f"column {gold} is both input and output.", remedy="Give --inputs and --outputs different columns."
        )
    if not inputs:
        raise DataError(
            "the file has one column, which is the output; expected at least one input column before it.",
            file=corpus.name,
        )
    return corpus.select([*inputs, gold])


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
