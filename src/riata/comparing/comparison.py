"""What a comparison found: a row per contestant, and ways to look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.choosing.recipe import recipe_name
from riata.comparing.planning import ComparisonPlan
from riata.comparing.run import EXAMPLE_SCORE, Grid, Result
from riata.errors import UnknownNameError, UnsupportedError
from riata.measuring.cost import facts
from riata.measuring.provenance import about
from riata.scoring.counts import accuracy_of
from riata.scoring.evaluation import STATISTICS
from riata.scoring.figures import Sample, mean_sample
from riata.scoring.resampling import SampledUnits, units_of
from riata.scoring.search_errors import pooled
from riata.scoring.significance import Statistic, bootstrap_interval, holm, paired_test

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
class ComparisonRow:
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
    rows: tuple[ComparisonRow, ...]
    baseline: str | None  # the row that the others are tested against
    scored: str  # what was scored, in words
    sentences: int  # scored with one seed; of problems, examples
    seeds: tuple[int, ...]
    notes: tuple[str, ...] = ()
    kept: int = 0  # trainings that were finished before
    trained: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)  # the program that ran
    resampled: str = "sentences"  # what intervals and tests are over, in words

    def __getitem__(self, name: str) -> ComparisonRow:
        """A row by name."""
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
        from riata.comparing.show import plot

        return plot(self, path)

    def __str__(self) -> str:
        from riata.comparing.show import text

        return text(self)

    def _repr_html_(self) -> str:
        from riata.comparing.show import html

        return html(self)


def _row_facts(row: ComparisonRow, task: str | None) -> dict[str, Any]:
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


def compared(plan: ComparisonPlan, grid: Grid, *, baseline: str | None = None, notes: Sequence[str] = ()) -> Comparison:
    """baseline: the row that the others are tested against (None: the best)."""
    samples: dict[str, Sample] = {}
    units = _units(plan)
    rows = []
    for number, contestant in enumerate(plan.contestants):
        row = ComparisonRow(
            contestant.name, recipe_name(contestant.estimator), parameters=_changed(contestant.estimator)
        )
        reason = contestant.refused or grid.failures.get(number)
        if reason:
            rows.append(replace(row, status="refused" if contestant.refused else "failed", problem=reason))
            continue
        by_seed = [[r for cell, r in _cells(grid, number) if cell.seed == seed] for seed in plan.seeds]
        samples[row.name] = mean_sample([_pooled(results, units) for results in by_seed])
        rows.append(_done(row, by_seed, samples[row.name]))
    first = next((row.quality for row in rows if row.quality is not None), None)
    against = _baseline(rows, baseline)
    return Comparison(
        task=getattr(plan.contestants[0].estimator, "task_name", None),
        metric="" if first is None else next(iter(grid.results.values()))["main"],
        rows=tuple(rows if against is None else _tested(rows, samples, against)),
        baseline=against,
        scored=plan.scored,
        sentences=len(plan.data if plan.test is None else plan.test),
        seeds=plan.seeds,
        notes=tuple(notes),
        kept=grid.kept,
        trained=grid.trained,
        about=about(),
        resampled=str(units),
    )


def check_baseline(plan: ComparisonPlan, baseline: str | None) -> None:
    """Finds out before training that there is no such row, or that it cannot be trained."""
    if baseline is None:
        return
    found = {contestant.name: contestant for contestant in plan.contestants}
    if baseline not in found:
        raise UnknownNameError.of("baseline", baseline, found)
    if found[baseline].refused:
        raise UnsupportedError(f"the baseline {baseline!r} cannot be trained: {found[baseline].refused}")


def _cells(grid: Grid, number: int) -> list[tuple[Any, Result]]:
    """In the order of seeds and folds."""
    return sorted(((c, r) for c, r in grid.results.items() if c.contestant == number), key=lambda pair: pair[0])


def _changed(estimator: Any) -> dict[str, Any]:
    """The parameters that are not the defaults, but for those that have a place of their own."""
    defaults = estimator._defaults()
    values = {k: v for k, v in estimator.get_params(deep=False).items() if k not in ("recipe", "seed", "problem")}
    return {k: v for k, v in values.items() if v is not defaults[k] and v != defaults[k]}


def statistic_of(metric: str) -> Statistic:
    return accuracy_of if metric == EXAMPLE_SCORE else STATISTICS[metric]


def _units(plan: ComparisonPlan) -> SampledUnits:
    """What is resampled of the sentences scored, fold after fold."""
    data = plan.data if plan.test is None else plan.test
    document = getattr(data, "document", None)  # problems have none
    if document is not None and plan.folds:
        document = document[np.concatenate(plan.folds)]
    return units_of(document, len(data))


def _pooled(results: Sequence[Result], units: SampledUnits) -> Sample:
    """The main score of all folds together."""
    counts = units.sums(np.concatenate([np.array(result["counts"]) for result in results]))
    statistic = statistic_of(results[0]["main"])
    return Sample(float(statistic(counts.sum(axis=0))), counts, statistic)


def _done(row: ComparisonRow, by_seed: Sequence[Sequence[Result]], sample: Sample) -> ComparisonRow:
    results = [result for seed in by_seed for result in seed]
    return replace(
        row,
        recipe=results[0]["recipe"],
        structure=results[0]["structure"],
        queue=results[0]["queue"],
        trainings=len(results),
        tokens=sum(result["tokens"] for result in by_seed[0]),
        quality=_quality(by_seed, sample),
        costs=_costs(results),
    )


def _quality(by_seed: Sequence[Sequence[Result]], sample: Sample) -> Quality:
    assert sample.counts is not None and sample.statistic is not None
    interval = bootstrap_interval(sample.statistic, sample.counts)
    metrics = [_metrics(results) for results in by_seed]
    scores = [each[by_seed[0][0]["main"]] for each in metrics]
    return Quality(
        score=sample.value,
        low=interval.low,
        high=interval.high,
        by_seed=tuple(scores),
        spread=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        metrics={name: float(np.mean([each[name] for each in metrics])) for name in metrics[0]},
        errors=pooled([result["errors"] for results in by_seed for result in results]),
    )


def _metrics(results: Sequence[Result]) -> dict[str, float]:
    """Of all folds together. What is no statistic of the counts is a share of tokens, and averaged by them."""
    counts = np.concatenate([np.array(result["counts"]) for result in results]).sum(axis=0)
    tokens = [result["tokens"] for result in results]
    found = {}
    for name in results[0]["metrics"]:
        if name in STATISTICS or name == EXAMPLE_SCORE:
            found[name] = float(statistic_of(name)(counts))
        else:
            found[name] = float(np.average([result["metrics"][name] for result in results], weights=tokens))
    return found


def _costs(results: Sequence[Result]) -> Costs:
    def mean(name: str) -> float:
        return float(np.mean([result[name] for result in results]))

    memory = [result["peak_rss_mb"] for result in results]
    sizes = [result["model_mb"] for result in results]
    seconds = sum(result["seconds_decode"] for result in results)
    return Costs(
        seconds_train=mean("seconds_train"),
        cpu_train=mean("cpu_train"),
        seconds_decode=mean("seconds_decode"),
        cpu_decode=mean("cpu_decode"),
        seconds_prepare=mean("seconds_prepare"),
        tokens_per_second=sum(result["tokens"] for result in results) / max(seconds, 1e-9),
        peak_rss_mb=None if None in memory else max(memory),
        model_mb=None if None in sizes else float(np.mean(sizes)),
        weights=round(mean("weights")),
    )


def _baseline(rows: Sequence[ComparisonRow], asked: str | None) -> str | None:
    """The row asked for, or the best; None where it has no score."""
    scored = {row.name: row.quality.score for row in rows if row.quality is not None}
    if asked is not None:
        return asked if asked in scored else None
    return max(scored, key=scored.__getitem__, default=None)


def _tested(rows: Sequence[ComparisonRow], samples: Mapping[str, Sample], baseline: str) -> list[ComparisonRow]:
    """Every row with its difference from the baseline, and how often chance alone gives one as large."""
    base = samples[baseline]
    others = [row.name for row in rows if row.quality is not None and row.name != baseline]
    tests = {name: _test(samples[name], base) for name in others}
    corrected = dict(zip(others, holm([tests[name].p_value for name in others]), strict=True))
    found = []
    for row in rows:
        if row.quality is not None and row.name in tests:
            test = tests[row.name]
            quality = replace(row.quality, difference=test.difference, p_value=test.p_value, p_holm=corrected[row.name])
            row = replace(row, quality=quality)
        found.append(row)
    return found


def _test(sample: Sample, base: Sample) -> Any:
    assert sample.counts is not None and base.counts is not None and base.statistic is not None
    return paired_test(base.statistic, sample.counts, base.counts)
