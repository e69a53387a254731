"""What a reproduction is: rows to run or to quote, what is measured of each, and the paper's claims about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from papers.claims import Claim
from papers.tasks import Task
from riata.data.types import Corpus
from riata.scoring.figures import Sample

Samples = Mapping[str, Sample]  # by key of a column


@dataclass(frozen=True)
class Column:
    """A number of every row, and how it is written."""

    key: str
    title: str
    show: Callable[[float], str] = "{:.2f}".format
    show_paper: Callable[[float], str] = "{:.1f}".format
    interval: bool = False  # shown in the table; JSON has all of them


# Times, the epoch that was chosen, and scores of chunks.
SCORES = (
    Column("seconds_train", "train", "{:.1f} s".format),
    Column("epoch", "epoch", "{:.1f}".format),
    Column("precision", "P"),
    Column("recall", "R"),
    Column("f1", "F", interval=True),
)


@dataclass(frozen=True)
class Row:
    """A line of the paper's table, or one of ours beside it.

    setting: parameters of the estimator; `lists` names a set of lists (`lists.py`). None: quoted from the paper, not run here.
    paper: its figures by column, for each reading of its table; most tables have but one, `paper`.
    """

    name: str
    setting: Mapping[str, Any] | None
    paper: Mapping[str, Mapping[str, float]]
    note: str = ""
    epochs: int | None = (
        None  # steps, at most, of a learner that minimises a function of all data; `--epochs` is not about them
    )

    noise: float = 0.0  # share of the labels of training data that are replaced by others, drawn with the seed

    @property
    def steady(self) -> bool:
        """Whether every seed comes to the same model, so that one training does."""
        return self.epochs is not None and not self.noise


@dataclass(frozen=True, eq=False)
class Trained:
    """A row's estimator after one training."""

    estimator: Any
    data: Corpus  # that it has learnt from
    scored: Corpus
    seconds: float  # CPU, from the corpus to the model that is scored; with --final, of the second training


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper. `--quick` changes the data and the epochs, and nothing else."""

    name: str
    summary: str
    paper: str  # key in CITATIONS.bib
    title: str
    task: Task
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    measure: Callable[[Trained], Samples] | None = None  # None: the trials of the task measure
    remarks: tuple[str, ...] = ()
    epochs: int = 20  # at most; development data choose
    quick_epochs: int = 3
    quick_sentences: int | None = None  # of the data of `--quick`, so many alone
    sentences: int | None = None  # learn from so many and measure on them: neither development nor test data
    picture: Literal["dots", "grid", "curves", "panels"] = "dots"
    drawn: str = "f1"  # the column that the picture shows
