"""Data frames of pandas and polars as sentences; neither is imported here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riata.data.types import Column, Corpus
from riata.errors import DataError

NAME = "<frame>"


def is_frame(value: object) -> bool:
    return type(value).__name__ == "DataFrame" and (hasattr(value, "itertuples") or hasattr(value, "iter_rows"))


def check_is_no_table(sentences: object) -> None:
    """Refuses what holds all sentences at once, in which nothing says where one ends."""
    kind = type(sentences).__name__
    if kind == "DataFrame":
        raise DataError(
            f"found a DataFrame of {len(sentences):,} rows; expected sentences.",  # type: ignore[arg-type]
            remedy='riata.from_frame(frame, sentence="sentence") takes rows of the same number in the column "sentence" as one sentence.',
        )
    if kind.endswith("GroupBy"):
        raise DataError(
            f"found a {kind}; expected a list of sentences.",
            remedy="Make a list of its groups: [group for _, group in groups].",
        )


def apart(sentence: Any) -> Any:
    """A sentence that is a frame as rows of columns, or, of numbers alone, as an array; any other as it is."""
    if not is_frame(sentence):
        return sentence
    if all(map(_is_number, sentence.dtypes)):
        return np.asarray(sentence.to_numpy(), np.float64)
    rows = sentence.iter_rows() if hasattr(sentence, "iter_rows") else sentence.itertuples(index=False, name=None)
    return list(rows)


def _is_number(kind: Any) -> bool:
    """Whether a column has numbers: of pandas, or of polars."""
    return kind.is_numeric() if hasattr(kind, "is_numeric") else getattr(kind, "kind", "O") in "biuf"


def from_frame(
    frame: Any, sentence: str = "sentence", columns: Sequence[str] | None = None, document: str | None = None
) -> Corpus:
    """A corpus from a DataFrame of pandas or polars with one row per token.

    Rows that have the same value in the column `sentence` are one sentence, and stand together. columns: those to take, in this order;
    None: all others. As everywhere, the last one is the output, unless labels are given apart.
    document: a column with the document of each sentence; neighbouring sentences that have the same are one document.

    >>> import pandas
    >>> frame = pandas.DataFrame({"s": [1, 1, 2], "word": ["It", "stopped", "Why"], "tag": ["PRP", "VBD", "WRB"]})
    >>> riata.from_frame(frame, "s").sentences_of(0)
    [['It', 'stopped'], ['Why']]
    """
    if not is_frame(frame):
        lazy = type(frame).__name__ == "LazyFrame"
        raise DataError(
            f"expected a DataFrame of pandas or polars, found {type(frame).__name__}.",
            remedy="Collect it first: frame.collect()." if lazy else "",
        )
    return token_table(list(frame.columns), lambda name: list(frame[name]), sentence, columns, document)


def token_table(
    known: Sequence[str],
    values_of: Callable[[str], list[Any]],
    sentence: str,
    columns: Sequence[str] | None,
    document: str | None,
) -> Corpus:
    """A corpus from a table with one row per token. known: the names of its columns."""
    roles = [sentence] if document is None else [sentence, document]
    chosen = [name for name in known if name not in roles] if columns is None else list(columns)
    for name in (*roles, *chosen):
        if known.count(name) != 1:
            found = "has no column" if name not in known else "has more than one column"
            raise DataError(
                f"the frame {found} {name!r}; it has {', '.join(map(str, known))}.",
                remedy="Name the column that numbers the sentences with sentence=, the others with columns= and document=.",
            )
    numbers = values_of(sentence)
    if not chosen or not numbers:
        raise DataError(f"the frame has {len(numbers)} rows and {len(chosen)} columns beside {sentence!r}.")
    starts = _starts(numbers, sentence)
    texts = {name: values_of(name) for name in chosen}
    for name, values in texts.items():
        row = next((i for i, value in enumerate(values) if not isinstance(value, str)), None)
        if row is not None:
            raise DataError(
                f"row {row}, column {name!r} is {values[row]!r}; expected a string.",
                remedy="Fill in missing values, and convert others to texts: astype(str) in pandas, cast(str) in polars.",
                file=NAME,
            )
    corpus = Corpus(tuple(Column.of(values) for values in texts.values()), starts, name=NAME)
    return corpus if document is None else _in_documents(corpus, values_of(document), document)


def _in_documents(corpus: Corpus, values: list[Any], column: str) -> Corpus:
    from riata.data.documents import in_documents

    first = [values[row] for row in corpus.starts[:-1]]
    for row, (value, wanted) in enumerate(
        zip(values, np.repeat(np.arange(len(first)), np.diff(corpus.starts)), strict=True)
    ):
        if value != first[wanted] or value is None:  # NaN is not equal to itself
            raise DataError(
                f"row {row} has {value!r} in the column {column!r}, and its sentence begins with {first[wanted]!r}.",
                remedy="Give all rows of a sentence the same document.",
                file=NAME,
            )
    return in_documents(corpus, first)


def _starts(numbers: list[Any], column: str) -> np.ndarray:
    """Where sentences start, from the number of each row's sentence."""
    starts: list[int] = []
    seen = set()
    for row, number in enumerate(numbers):
        if number is None or number != number:  # NaN is not equal to itself
            raise DataError(
                f"row {row} has no value in the column {column!r}.",
                remedy="Give every row its sentence; frame[name].ffill() repeats the value above.",
                file=NAME,
            )
        if row and number == numbers[row - 1]:
            continue
        if number in seen:
            raise DataError(
                f"row {row} belongs to sentence {number!r}, other rows of which stand before another sentence.",
                remedy=f"Sort the frame: frame.sort_values({column!r}, kind='stable').",
                file=NAME,
            )
        seen.add(number)
        starts.append(row)
    return np.array([*starts, len(numbers)], np.int64)
