"""A format of files: how a file becomes a corpus, whole or in parts, and how predictions are written beside what was read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from riata.data.types import FIELDS, Column, Corpus
from riata.errors import DataError, SettingError, UnknownNameError

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from riata.data.running_text import Tokenizer


ColumnName = int | str  # a number, or a name where columns have names


@dataclass(frozen=True)
class Asked:
    """What is asked of a file that is read."""

    documents: ColumnName | None = None  # the column that names the document of each sentence
    columns: tuple[ColumnName, ...] | None = None  # of a format with names of its own: those to read; None: all
    sources: bool = False  # of such a format: keep what each sentence was read from, to write predictions beside it
    text: bool = False  # each line is a sentence of running text


MISALIGNED = ("widen", "drop", "refuse")


@dataclass(frozen=True)
class Splitting:
    """How texts of JSON lines are split into words, and what becomes of spans that begin or end inside of words."""

    own: Tokenizer | None = None  # the user's function; None: words and marks
    misaligned: str = MISALIGNED[0]

    def __post_init__(self) -> None:
        if self.misaligned not in MISALIGNED:
            raise UnknownNameError.of("value of misaligned", self.misaligned, MISALIGNED)

    def other(self, tokenizer: Tokenizer | None, misaligned: str | None) -> Splitting:
        """The same with what is given; None changes nothing."""
        found = self if tokenizer is None else replace(self, own=tokenizer)
        return found if misaligned is None else replace(found, misaligned=misaligned)


splitting_asked: ContextVar[Splitting | None] = ContextVar("splitting", default=None)  # None: as usual


def present() -> Splitting:
    return splitting_asked.get() or Splitting()


def refuse_splitting(what: str) -> None:
    """Refuses to read what has no texts to split, where it was said how these are."""
    if present() != Splitting():
        raise SettingError(
            f"a tokenizer, and what becomes of spans inside of words, mean nothing for {what}.",
            remedy="Add --text if every line is a sentence, or --format jsonl for JSON lines; or leave out --tokenizer and --misaligned.",
        )


@contextmanager
def splitting(tokenizer: Tokenizer | None = None, misaligned: str | None = None) -> Iterator[None]:
    """A context in which all texts of JSON lines are split in this way."""
    token = splitting_asked.set(present().other(tokenizer, misaligned))
    try:
        yield
    finally:
        splitting_asked.reset(token)


class Rank(NamedTuple):
    """The place of one of the best labellings of a sentence."""

    rank: int
    score: float
    probability: float | None

    def __str__(self) -> str:
        return f"# {self.rank} {self.score:.6f}" + ("" if self.probability is None else f" {self.probability:.6f}")


@dataclass(frozen=True, eq=False)
class Answers:
    """Predictions for the sentences of a batch."""

    columns: Sequence[Column]  # one per output
    outputs: Sequence[int]  # the number of each in the training data
    names: Sequence[str]  # what each is called
    chunks: Sequence[bool]  # whether each has chunk labels
    confidences: Sequence[Column] = ()  # one per output, in decimals
    ranks: Sequence[Rank] = ()  # one per sentence, where these are lists of the best


class FileFormat(ABC):
    """One format; its file defines FORMAT, an instance of a subclass."""

    name: str
    summary: str
    endings: tuple[str, ...] = ()  # of file names
    fields: tuple[str, ...] = ()  # the columns, where every file has the same
    words: int = 0  # the column of words
    own_columns: str = (
        ""  # what files are called whose columns have fixed roles; empty: users choose inputs and outputs
    )
    open: bool = False  # columns have names, which differ from file to file, and may be more than a model knows

    @abstractmethod
    def read(self, path: str | Path, asked: Asked) -> Corpus:
        """The whole file."""

    @abstractmethod
    def stream(
        self, path: str | Path, asked: Asked, *, size: int | None = None, stopped: threading.Event | None = None
    ) -> Iterator[Corpus]:
        """The file in parts, as it comes or, with a size, of about so many bytes."""

    def outputs(self, corpus: Corpus, number: int, apart: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
        """The output columns of a file, unless users name others. apart: columns that are none. fields: of the task."""
        return all_but(corpus, apart)[-number:]

    def inputs(self, corpus: Corpus, others: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
        """The input columns of a file, unless users name others. others: columns that are none."""
        return all_but(corpus, others)

    @abstractmethod
    def labelled(self, batch: Corpus, answers: Answers) -> bytes:
        """What was read, with the predictions."""


def column_number(name: ColumnName, names: Sequence[str]) -> int:
    """A column by its number, or by its name where columns have names."""
    if isinstance(name, int):
        return name
    if name in names:
        return names.index(name)
    if names:
        kind = "column" if tuple(names) != FIELDS else "CoNLL-U field"
        raise UnknownNameError.of(kind, name, names, remedy="Or give columns by number, from 0.")
    what, format = ("a field of CoNLL-U", "conllu") if name in FIELDS else ("a name", "jsonl")
    raise DataError(
        f"{name!r} is {what}, and this is a file of columns, which have no names.",
        remedy=f"Give columns by number, from 0; or name the format, such as --format {format}.",
    )


def all_but(corpus: Corpus, columns: Sequence[ColumnName]) -> list[int]:
    return [i for i in range(corpus.width) if i not in columns]


@dataclass(frozen=True)
class Roles:
    """What fields are for a task, unless users say otherwise."""

    inputs: tuple[str, ...] = ("form",)
    outputs: tuple[str, ...] = ("xpos",)


TAGGING, PARSING = Roles(), Roles(("form", "upos", "xpos", "feats"), ("head", "deprel"))
