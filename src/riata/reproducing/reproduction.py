"""What a reproduction is: rows to run or to quote, what is measured of each, and the paper's claims about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from riata.data.types import Corpus
from riata.reproducing.tasks import Task
from riata.scoring.figures import Figure, Sample

Samples = Mapping[str, Sample]  # by key of a column
Measured = Mapping[str, Mapping[str, Figure]]  # by row and key of a column; rows that were not run are not in it
VERDICTS = {True: "held", False: "did not hold", None: "undecided"}


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

    setting: parameters of the estimator; None: quoted from the paper, not run here.
    paper: its figures by column, for each reading of its table; most tables have but one, `paper`.
    """

    name: str
    setting: Mapping[str, Any] | None
    paper: Mapping[str, Mapping[str, float]]
    note: str = ""
    epochs: int | None = (
        None  # at most, of a learner that needs others than the rest; `--quick` and `--epochs` are for all
    )


@dataclass(frozen=True)
class Verdict:
    held: bool | None
    said: str


@dataclass(frozen=True)
class Claim:
    """Something that the paper says. rows: those that it is about."""

    text: str
    rows: tuple[str, ...]
    check: Callable[[Measured], Verdict]

    def judged(self, measured: Measured) -> dict[str, Any]:
        missing = [name for name in self.rows if name not in measured]
        if missing:
            return {"claim": self.text, "verdict": "not measured", "said": f"not run here: {', '.join(missing)}"}
        verdict = self.check(measured)
        return {"claim": self.text, "verdict": VERDICTS[verdict.held], "said": verdict.said}


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
    measure: Callable[[Trained], Samples]
    claims: tuple[Claim, ...]
    remarks: tuple[str, ...] = ()
    epochs: int = 20  # at most; development data choose
    quick_epochs: int = 3
    quick_sentences: int | None = None  # of the data of `--quick`, so many alone
    sentences: int | None = None  # learn from so many and measure on them: neither development nor test data
    picture: Literal["dots", "grid"] = "dots"
    drawn: str = "f1"  # the column that the picture shows


def together(verdicts: list[bool | None]) -> bool | None:
    """Of a claim in several parts: it holds if all do, and fails with any."""
    return False if False in verdicts else None if None in verdicts else True


def beats(text: str, key: str, *pairs: tuple[str, str]) -> Claim:
    """The claim that the first row of every pair has the larger number."""

    def check(measured: Measured) -> Verdict:
        differences = [measured[a][key].minus(measured[b][key]) for a, b in pairs]
        held = together([difference.above() for difference in differences])
        return Verdict(held, "; ".join(compared(measured, key, a, b) for a, b in pairs))

    return Claim(text, tuple(dict.fromkeys(name for pair in pairs for name in pair)), check)


def equal(text: str, key: str, most: float, *pairs: tuple[str, str]) -> Claim:
    """The claim that the two rows of every pair differ by no more than so much."""

    def check(measured: Measured) -> Verdict:
        differences = [measured[a][key].minus(measured[b][key]) for a, b in pairs]
        held = together([difference.within(most) for difference in differences])
        return Verdict(held, "; ".join(compared(measured, key, a, b) for a, b in pairs))

    return Claim(text, tuple(dict.fromkeys(name for pair in pairs for name in pair)), check)


def faster(text: str, key: str, times: float, *pairs: tuple[str, str]) -> Claim:
    """The claim that the first row of every pair takes less time than the second, by this factor. The means decide."""

    def check(measured: Measured) -> Verdict:
        ratios = [(measured[b][key].mean / max(measured[a][key].mean, 1e-9)) for a, b in pairs]
        told = [
            f"{a} {measured[a][key].mean:.2f} s, {b} {measured[b][key].mean:.2f} s ({ratio:.1f} ×)"
            for (a, b), ratio in zip(pairs, ratios, strict=True)
        ]
        return Verdict(all(ratio > times for ratio in ratios), "; ".join(told))

    return Claim(text, tuple(dict.fromkeys(name for pair in pairs for name in pair)), check)


def fewer(text: str, key: str, *pairs: tuple[str, str]) -> Claim:
    """The claim that the first row of every pair has the smaller number."""
    return beats(text, key, *((b, a) for a, b in pairs))


def from_to(text: str, key: str, row: str, low: float, high: float) -> Claim:
    """The claim that a row's number is one of low to high, which are whole. Its mean decides."""

    def check(measured: Measured) -> Verdict:
        figure = measured[row][key]
        held = low - 0.5 <= figure.mean <= high + 0.5
        return Verdict(held, f"{row}: {figure.mean:.1f} ({', '.join(f'{value:g}' for value in figure.values)})")

    return Claim(text, (row,), check)


def compared(measured: Measured, key: str, a: str, b: str) -> str:
    first, second = measured[a][key], measured[b][key]
    return f"{a} {first.mean:.2f}, {b} {second.mean:.2f}: {signed(first.minus(second))}"


def signed(difference: Figure) -> str:
    """A difference and its interval."""
    if difference.interval is None:
        return f"{difference.mean:+.2f} (one run, no interval)"
    low, high = difference.interval
    return f"{difference.mean:+.2f} ({low:+.2f} to {high:+.2f})"
