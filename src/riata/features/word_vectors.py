"""Vectors of words, such as those of word2vec, GloVe and fastText, by word type: from files and dictionaries."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.data import columns as source
from riata.data.token_vectors import LARGEST, Array, TokenVectors
from riata.data.types import Column, Ids, interned
from riata.errors import DataError, RiataWarning, SettingError, printed

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = "v_unknown"  # the feature of words without a vector
NPY, WORDS = ".npy", ".words"  # a table, and beside it a file with the word of each row


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors. A word that has none takes that of its lower-case form.

    If that has none either, the vector is zero, and the feature `v_unknown` is 1.
    What `vectors=` of an estimator takes besides a path, for tables that are used more than once.

    >>> vectors = riata.WordVectors.of({"cat": [1.0, 0.0], "dog": [0.9, 0.1], "runs": [0.0, 1.0]})
    >>> len(vectors), vectors.width
    (3, 2)
    >>> vectors.covers(["Cat", "runs", "axolotl"])
    [True, True, False]
    """

    words: Alphabet
    table: Array  # [V, d]
    name: str = field(default="vectors", compare=False)  # of the file, for messages

    @classmethod
    def of(cls, given: str | Path | Mapping[str, Sequence[float]] | WordVectors) -> WordVectors:
        """From a path as `read` takes it, or from a dictionary from words to vectors."""
        if isinstance(given, WordVectors):
            return given
        if isinstance(given, (str, os.PathLike)):
            return cls.read(given)
        check_vectors(given)
        words = list(given)
        rows = [np.asarray(given[word], np.float32) for word in words]
        for word, row in zip(words, rows, strict=True):
            if row.ndim != 1 or row.shape != rows[0].shape or not len(row):
                raise DataError(
                    f"the vector of {word!r} has the shape {list(row.shape)}; expected one list of numbers per word, all "
                    "of the same length."
                )
        return cls._checked(words, np.array(rows, np.float32), "vectors")

    @classmethod
    def read(cls, path: str | Path, *, most: int | None = None) -> WordVectors:
        """From a file of word2vec (with a header), GloVe or fastText (.vec) in text form, plain or .gz.

        Or from NAME.npy, a table with a row per word, which is not read into memory but mapped; NAME.words has the words, one per line.
        most: so many words are taken, from the start of the file; such files begin with the most frequent words.
        """
        if most is not None and most < 1:
            raise SettingError(f"most is {most}; expected a number of words, from 1 on.")
        if str(path).endswith(NPY):
            return _read_table(os.fspath(path), most)
        words, rows, header = [], [], list[int]()
        for line, word, row in _entries(path, header):
            words.append(word)
            rows.append(row)
            if len(row) != len(rows[0]):
                raise DataError(
                    f"the vector of {word!r} has {len(row)} numbers, the first one {len(rows[0])}.",
                    remedy="Is the file damaged? Give one word and its vector per line.",
                    file=path,
                    line=line,
                )
            if len(words) == most:
                break
        if not words:
            raise DataError("the file has no vectors.", remedy="Give one word and its vector per line.", file=path)
        found = cls._checked(words, np.array(rows, np.float32), str(path))
        twice, promised = len(words) - len(found), header[0] if header and len(words) != most else len(words)
        odd = [f"its first line promises {promised:,} words, and it has {len(words):,}"] * (promised != len(words))
        odd += [f"lines that repeat a word: {twice:,}; its first vector is taken"] * (twice > 0)
        if odd:
            warnings.warn(f"{path}: {'; '.join(odd)}. Is the file complete?", RiataWarning, stacklevel=2)
        return found

    @classmethod
    def _checked(cls, words: Sequence[str], table: Array, name: str) -> WordVectors:
        """Of a word that stands more than once, the first vector is taken."""
        for low in range(0, len(table), 4096):
            block = np.abs(np.asarray(table[low : low + 4096], np.float64))
            if not (block <= LARGEST).all():
                row = low + int(np.argwhere(~(block <= LARGEST))[0][0])
                raise DataError(
                    f"the vector of {words[row]!r} holds a number that is not finite, or above {LARGEST:g}.",
                    remedy="Leave the word out.",
                    file=name,
                )
        alphabet, ids = interned(words)
        if len(alphabet) < len(words):
            table = table[np.unique(ids, return_index=True)[1]]
        return cls(alphabet, table, name)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self.table.shape[1])

    def covers(self, words: Sequence[str]) -> list[bool]:
        """Whether each word has a vector, its own or that of its lower-case form."""
        return [bool(row >= 0) for row in self._rows(list(words))]

    def __eq__(self, other: object) -> bool:
        """Whether both have the same words and vectors."""
        return self is other or (
            isinstance(other, WordVectors)
            and self.words.texts() == other.words.texts()
            and np.array_equal(self.table, other.table)
        )

    __hash__ = None  # type: ignore[assignment]  # two tables are equal if all numbers are

    def __deepcopy__(self, memo: Any) -> WordVectors:
        return self  # nothing in it changes

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The features: one per number, and that of words without a vector."""
        return (*(f"v{j}" for j in range(self.width)), UNKNOWN)

    def of_tokens(self, column: Column) -> TokenVectors:
        """The vectors of the words of a column. Only rows that occur are read."""
        used = column.used()
        rows = self._rows(column.alphabet.texts_of(used))
        table = np.zeros((len(used), self.width + 1), np.float32)
        known = rows >= 0
        table[known, :-1] = self.table[rows[known]]
        table[~known, -1] = 1
        place = np.zeros(len(column.alphabet), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        return TokenVectors((table,), self.names, place[column.ids])

    def _rows(self, words: list[str]) -> Ids:
        """The row of each word; -1: it has none."""
        rows: Ids = self.words.find_many(words)
        left = np.flatnonzero(rows < 0)
        rows[left] = self.words.find_many([words[i].lower() for i in left])
        return rows


def check_vectors(vectors: object) -> None:
    """Refuses values that cannot be vectors of words, before anything is read."""
    if vectors is None or isinstance(vectors, (str, os.PathLike, WordVectors)):
        return
    if not isinstance(vectors, Mapping) or not vectors or not all(isinstance(word, str) for word in vectors):
        raise SettingError(
            f"vectors is {printed(vectors):.60}; expected the path of a file, a dictionary from words to vectors, or riata.WordVectors."
        )


def _read_table(path: str, most: int | None) -> WordVectors:
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise DataError("no such file.", remedy="Check the path.", file=path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"not a table of NumPy: {error}.", remedy="Write it with numpy.save.", file=path) from None
    if table.ndim != 2 or not table.size or table.dtype not in (np.float16, np.float32, np.float64):
        raise DataError(
            f"the table has the shape {list(table.shape)} and the type {table.dtype}; expected [words, d] of float32 or float16.",
            file=path,
        )
    beside = path.removesuffix(NPY) + WORDS
    if not os.path.exists(beside):
        raise DataError(
            f"the words of {os.path.basename(path)} are missing: no such file.",
            remedy="Write the word of each row of the table into it, on a line of its own.",
            file=beside,
        )
    words = [line.rstrip("\r") for line in _lines(beside)]
    if words and not words[-1]:
        words.pop()
    if len(words) != len(table):
        raise DataError(
            f"the file has {len(words):,} words, and {os.path.basename(path)} has {len(table):,} rows.",
            remedy="Write the word of each row on a line of its own.",
            file=beside,
        )
    kept = np.asarray(table[:most]) if table.dtype != np.float64 else np.asarray(table[:most], np.float32)
    return WordVectors._checked(words[:most], kept, path)


def _entries(path: str | Path, header: list[int]) -> Iterator[tuple[int, str, NDArray[np.float32]]]:
    """Line, word and vector; the number of words that the first line promises goes into the header.

    A word may have blanks in it, as a few of GloVe's have, so the numbers are told by how many there are."""
    width = 0
    for number, line in enumerate(_lines(path), 1):
        fields = line.rstrip(" \r").split(" ")
        if number == 1 and len(fields) == 2 and all(text.isdigit() for text in fields):
            width = int(fields[1])
            header.append(int(fields[0]))
            continue
        if fields == [""]:
            continue
        width = width or len(fields) - 1
        word, row = " ".join(fields[:-width]) if width else "", _numbers(fields[-width:] if width else [])
        if not word or row is None:
            raise DataError(
                f"found {line:.40}; expected a word and {width or 'some'} numbers, with blanks between.",
                remedy="Binary files of word2vec must be written as text first (gensim: save_word2vec_format(..., binary=False)).",
                file=path,
                line=number,
            )
        yield number, word, row


def _numbers(fields: Sequence[str]) -> NDArray[np.float32] | None:
    try:
        with np.errstate(over="ignore"):  # what is too large is refused later
            return np.array(fields, np.float64).astype(np.float32)
    except ValueError:
        return None


def _lines(path: str | Path) -> Iterator[str]:
    """The lines of a text file in UTF-8, one after the other."""
    rest, number = b"", 0
    for piece in source.pieces(path):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            number += 1
            yield _decoded(line, path, number)
    if rest:
        yield _decoded(rest, path, number + 1)


def _decoded(line: bytes, path: str | Path, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise DataError(
            "not valid UTF-8.",
            remedy="Convert the file to UTF-8; binary files of word2vec must be written as text first.",
            file=path,
            line=number,
        ) from None
