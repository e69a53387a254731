"""What a comparison found: a row per contestant, and ways to look at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riata.measuring.cost import facts

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Costs:
    """Of one training on average (memory: of the largest). Seconds are wall time; cpu counts those of all threads."""

    seconds_train: float
    cpu_train: float
    seconds_decode: float
    cpu_decode: float
    seconds_prepare: float  # folding the model for prediction
    tokens_per_second: float  # of decoding, by wall time; of problems, examples
    peak_rss_mb: float | None  # None: not measured, in a process that did other things too
    model_mb: float | None
    weights: int


@dataclass(frozen=True)
class Quality:
    """The main score in per cent. p values are of the difference from the baseline, and None for the baseline itself."""

    score: float  # the mean over seeds
    low: float  # 95 %, bootstrap over sentences or documents
    high: float
    by_seed: tuple[float, ...]
    spread: float | None  # standard deviation over seeds; None of one seed
    metrics: Mapping[str, float]
    errors: Mapping[str, int | str | None]  # of all seeds, as SearchErrors.counts has them
    difference: float | None = None
    p_value: float | None = None
    p_holm: float | None = None

    @property
    def significant(self) -> bool | None:
        """Whether it differs from the baseline at 0.05, corrected for the number of tests."""
        return None if self.p_holm is None else self.p_holm <= LEVEL


LEVEL = 0.05


@dataclass(frozen=True)
class Row:
    """A contestant. problem: why there are no numbers, with status `refused` or `failed`."""

    name: str
    recipe: str
    structure: str | None = None
    queue: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)  # those that are not the defaults
    status: str = "done"
    problem: str = ""
    trainings: int = 0
    tokens: int = 0  # scored with one seed; of problems, examples
    quality: Quality | None = None
    costs: Costs | None = None


@dataclass(frozen=True)
class Comparison:
    """What `riata.compare` and `riata compare` give. `rows` are in the order of the contestants; print it, or look at `table()`.

    >>> train = riata.load("embedded", "train")
    >>> comparison = riata.compare(
    ...     ["perceptron", "mira"], train[:100], task="chunk", parameters={"epochs": 2}, test=train[100:150], isolated=False
    ... )
    >>> [row.name for row in comparison.rows]
    ['perceptron', 'mira']
    """

    task: str | None
    metric: str  # the main score
    rows: tuple[Row, ...]
    baseline: str | None  # the row that the others are tested against
    scored: str  # what was scored, in words
    sentences: int  # scored with one seed; of problems, examples
    seeds: tuple[int, ...]
    notes: tuple[str, ...] = ()
    kept: int = 0  # trainings that were finished before
    trained: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)  # the program that ran
    resampled: str = "sentences"  # what intervals and tests are over, in words

    def __getitem__(self, name: str) -> Row:
        """A row by name."""
        from riata.errors import UnknownNameError

        for row in self.rows:
            if row.name == name:
                return row
        raise UnknownNameError.of("row", name, [row.name for row in self.rows])

    def table(self) -> Table:
        """A rich table of all rows."""
        from riata.comparing.show import rich_table

        return rich_table(self)

    def to_markdown(self) -> str:
        from riata.comparing.show import markdown

        return markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """The object that `riata compare --json` prints."""
        return {
            "task": self.task,
            "metric": self.metric,
            "scored": self.scored,
            "sentences": self.sentences,
            "resampled": self.resampled,
            "seeds": list(self.seeds),
            "baseline": self.baseline,
            "rows": [_row_facts(row, self.task) for row in self.rows],
            "notes": list(self.notes),
            "trainings": {"kept": self.kept, "trained": self.trained},
            **self.about,
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Quality against training time, as a figure of matplotlib (the extra `plots`); path: a file to write it to."""
        from riata.comparing.plot import plot

        return plot(self, path)

    def __str__(self) -> str:
        from riata.comparing.show import text

        return text(self)

    def _repr_html_(self) -> str:
        from riata.comparing.show import html

        return html(self)


def _row_facts(row: Row, task: str | None) -> dict[str, Any]:
    quality, costs = row.quality, row.costs
    known = facts(
        task=task,
        recipe=row.recipe,
        structure=row.structure,
        seconds_train=None if costs is None else costs.seconds_train,
        seconds_decode=None if costs is None else costs.seconds_decode,
        tokens=row.tokens,
        peak_rss_mb=None if costs is None else costs.peak_rss_mb,
        weights=None if costs is None else costs.weights,
        model_mb=None if costs is None else costs.model_mb,
        metrics={} if quality is None else dict(quality.metrics),
    )
    head = {
        "name": row.name,
        "status": row.status,
        "problem": row.problem or None,
        "queue": row.queue,
        "parameters": {key: _plain(value) for key, value in row.parameters.items()},
        "trainings": row.trainings,
    }
    return {**head, **known, **_quality_facts(quality), **_cost_facts(costs)}


def _plain(value: Any) -> Any:
    if value == float("inf"):
        return "inf"
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def _quality_facts(quality: Quality | None) -> dict[str, Any]:
    if quality is None:
        names = ("score", "interval", "scores", "spread", "errors", "difference", "p_value", "p_holm", "significant")
        return dict.fromkeys(names)
    return {
        "score": quality.score,
        "interval": [quality.low, quality.high],
        "scores": list(quality.by_seed),
        "spread": quality.spread,
        "errors": dict(quality.errors),
        "difference": quality.difference,
        "p_value": quality.p_value,
        "p_holm": quality.p_holm,
        "significant": quality.significant,
    }


def _cost_facts(costs: Costs | None) -> dict[str, Any]:
    names = ("cpu_train", "cpu_decode", "seconds_prepare", "tokens_per_second")
    return {name: None if costs is None else round(getattr(costs, name), 4) for name in names}
