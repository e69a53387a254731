"""Tables with one row per sentence, such as data sets of Hugging Face and Parquet files; and corpora as data frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from riata.data.frames import token_table
from riata.data.memory import as_corpus, is_list
from riata.data.types import Column, Corpus
from riata.errors import DataError, SettingError, UnsupportedError, printed

LIBRARIES = ("pandas", "polars")
SENTENCE, WORD, LABEL = "sentence", "word", "label"


def from_dataset(dataset: Any, columns: Sequence[str]) -> Corpus:
    """A corpus from a Hugging Face `Dataset` or `IterableDataset`, whose rows are sentences.

    columns: those to take, in this order, each with a list of texts in every row; as everywhere, the last one is the output.
    Labels that the data set stores as numbers are replaced by their names.

    >>> from datasets import Dataset  # doctest: +SKIP
    >>> dataset = Dataset.from_dict({"tokens": [["It", "stopped"]], "tags": [["PRP", "VBD"]]})  # doctest: +SKIP
    >>> riata.from_dataset(dataset, ["tokens", "tags"]).sentences_of(1)  # doctest: +SKIP
    [['PRP', 'VBD']]
    """
    if isinstance(dataset, Mapping):
        splits = ", ".join(map(repr, dataset))
        raise DataError(f"found several splits: {splits}.", remedy="Choose one, such as dataset['train'].")
    if not hasattr(dataset, "column_names") or not hasattr(dataset, "features"):
        raise DataError(f"expected a Dataset of Hugging Face, found {type(dataset).__name__}.")
    known = list(dataset.column_names or ())  # a stream may not know them
    names = {name: _class_names(dataset.features[name]) for name in known if dataset.features}
    return _sentence_table(known, lambda name: list(dataset[name]), names, columns, "<dataset>")


def read_parquet(
    path: str | Path, columns: Sequence[str], *, sentence: str | None = None, document: str | None = None
) -> Corpus:
    """A corpus from a Parquet file; needs pyarrow.

    Without `sentence`, each row is a sentence, and `columns` contain lists: see from_dataset. With it, each row is a token, and `sentence`
    is the column that numbers the sentences, as in from_frame.

    >>> riata.to_frame([["It", "stopped"]], [["PRP", "VBD"]]).to_parquet("tags.parquet")  # doctest: +SKIP
    >>> riata.read_parquet("tags.parquet", ["word", "label"], sentence="sentence").sentences_of(1)  # doctest: +SKIP
    [['PRP', 'VBD']]
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise UnsupportedError("Parquet files need pyarrow.", remedy="pip install pyarrow") from None
    try:
        table = pyarrow.parquet.read_table(path)
    except FileNotFoundError:
        raise DataError("no such file.", remedy="Check the path.", file=path) from None
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        reason = str(error).partition("\n")[0].rstrip(".")
        raise DataError(f"it is no Parquet file that can be read: {reason:.200}.", file=path) from None

    def values(name: str) -> list[Any]:
        found: list[Any] = table[name].to_pylist()
        return found

    if sentence is not None:
        return token_table(table.column_names, values, sentence, columns, document)
    if document is not None:
        raise SettingError("document is for files with one row per token.", remedy="Name the column sentence=, too.")
    return _sentence_table(table.column_names, values, _stored_names(table.schema.metadata), columns, str(path))


def to_frame(sentences: Any, labels: Any = None, *, names: Sequence[str] | None = None, library: str = "pandas") -> Any:
    """Sentences as a data frame with one row per token: the number of the sentence, its columns and, if they are given, its labels.

    sentences: a Corpus, or whatever predict takes. labels: what predict returned for them. names: of the columns; None: `word`, `column1`
    and so on. library: pandas or polars.

    >>> riata.to_frame([["It", "stopped"], ["Why"]], [["PRP", "VBD"], ["WRB"]])
       sentence     word label
    0         0       It   PRP
    1         0  stopped   VBD
    2         1      Why   WRB
    """
    if library not in LIBRARIES:
        raise SettingError(f"library is {printed(library)}; expected pandas or polars.")
    corpus = as_corpus(sentences)
    if not corpus.width:
        raise DataError("sentences of features or numbers have no columns.", remedy="Give words, or rows of columns.")
    names = [WORD, *(f"column{i}" for i in range(1, corpus.width))] if names is None else list(names)
    if len(names) != corpus.width:
        raise SettingError(f"there are {corpus.width} columns and {len(names)} names.")
    lengths = np.diff(corpus.starts)
    more = {} if labels is None else _label_columns(labels, lengths.tolist())
    if len({SENTENCE, *names, *more}) != 1 + len(names) + len(more):
        raise SettingError("two columns would have one name.", remedy=f"Give other names than {SENTENCE} and {LABEL}.")
    made: dict[str, Any] = {SENTENCE: np.repeat(np.arange(len(lengths)), lengths)}
    made |= {name: column.texts() for name, column in zip(names, corpus.columns, strict=True)}
    try:
        module = import_module(library)
    except ImportError:
        raise UnsupportedError(f"{library} is not installed.", remedy=f"pip install {library}") from None
    return module.DataFrame(made | more)


def _label_columns(labels: Any, lengths: list[int]) -> dict[str, list[Any]]:
    """One column, or one for each part of pairs."""
    if not is_list(labels) or list(map(len, labels)) != lengths:
        raise DataError("the labels do not fit the sentences.", remedy="Give what predict returned for them.")
    flat = [label for sentence in labels for label in sentence]
    if flat and isinstance(flat[0], tuple):
        return {f"{LABEL}{i + 1}": list(part) for i, part in enumerate(zip(*flat, strict=True))}
    return {LABEL: flat}


def _sentence_table(
    known: Sequence[str], values_of: Any, names: Mapping[str, Sequence[str] | None], columns: Sequence[str], file: str
) -> Corpus:
    """names: of labels that are stored as numbers, by column."""
    if isinstance(columns, str) or not columns:
        raise SettingError("columns is the list of columns to take, such as ['tokens', 'ner_tags'].")
    for name in columns:
        if name not in known:
            raise DataError(f"there is no column {name!r}; known: {', '.join(known)}.", file=file)
    rows = {name: values_of(name) for name in columns}
    first, *others = columns
    lengths = [_length(value, first, row, file) for row, value in enumerate(rows[first])]
    for name in others:
        for row, (value, length) in enumerate(zip(rows[name], lengths, strict=True)):
            if _length(value, name, row, file) != length:
                raise DataError(f"row {row} has {length} values in {first!r} and {len(value)} in {name!r}.", file=file)
    texts = [_texts(rows[name], names.get(name), name, file) for name in columns]
    if not texts[0]:
        raise DataError("there are no tokens.", file=file)
    starts = np.concatenate([[0], np.cumsum([length for length in lengths if length])]).astype(np.int64)
    return Corpus(tuple(map(Column.of, texts)), starts, name=file)


def _length(value: Any, name: str, row: int, file: str) -> int:
    if not is_list(value):
        raise DataError(
            f"row {row}, column {name!r} is {printed(value):.60}; expected a list with a value for each token.",
            remedy="For files with one row per token, name the column that numbers sentences: sentence='…'.",
            file=file,
        )
    return len(value)


def _texts(rows: list[Any], names: Sequence[str] | None, name: str, file: str) -> list[str]:
    found: list[str] = []
    for row, values in enumerate(rows):
        for value in values:
            if names is not None and isinstance(value, int) and 0 <= value < len(names):
                value = names[value]
            if not isinstance(value, str) or not value:
                raise DataError(
                    f"row {row}, column {name!r} contains {printed(value):.60}; expected texts that are not empty.",
                    remedy="Replace numbers by the names of their labels, and leave out empty tokens.",
                    file=file,
                )
            found.append(value)
    return found


def _class_names(feature: Any) -> Sequence[str] | None:
    """The names of labels of a column of lists, if it stores numbers of labels."""
    inner = getattr(feature, "feature", feature[0] if isinstance(feature, list) and feature else None)
    names = getattr(inner, "names", None)
    return list(names) if isinstance(names, list) else None


def _stored_names(metadata: Mapping[bytes, bytes] | None) -> dict[str, Sequence[str] | None]:
    """The same, from what Hugging Face writes into Parquet files."""
    try:
        features = json.loads((metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        found = {name: feature.get("feature", feature) for name, feature in features.items()}
        return {name: inner["names"] for name, inner in found.items() if inner.get("_type") == "ClassLabel"}
    except (ValueError, KeyError, TypeError, AttributeError):  # no such thing is stored
        return {}
