"""A format of files: how a file becomes a corpus, whole or in parts, and how predictions are written beside what was read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from riata.data.types import Column, Corpus

if TYPE_CHECKING:
    import threading
    from pathlib import Path


ColumnName = int | str  # a number, or a name where columns have names


@dataclass(frozen=True)
class Asked:
    """What is asked of a file that is read."""

    documents: ColumnName | None = None  # the column that names the document of each sentence
    columns: tuple[ColumnName, ...] | None = None  # of a format with names of its own: those to read; None: all
    sources: bool = False  # of such a format: keep what each sentence was read from, to write predictions beside it
    text: bool = False  # each line is a sentence of running text


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


def all_but(corpus: Corpus, columns: Sequence[ColumnName]) -> list[int]:
    return [i for i in range(corpus.width) if i not in columns]


@dataclass(frozen=True)
class Roles:
    """What fields are for a task, unless users say otherwise."""

    inputs: tuple[str, ...] = ("form",)
    outputs: tuple[str, ...] = ("xpos",)


TAGGING, PARSING = Roles(), Roles(("form", "upos", "xpos", "feats"), ("head", "deprel"))
