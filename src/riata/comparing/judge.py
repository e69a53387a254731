"""From the results of all cells to rows: scores of pooled folds, intervals, and tests against a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from riata.choosing.preference import recipe_name
from riata.comparing.cell import EXAMPLE_SCORE, Result
from riata.comparing.comparison import Comparison, Costs, Quality, Row
from riata.comparing.plan import Plan
from riata.comparing.run import Grid
from riata.errors import UnknownNameError, UnsupportedError
from riata.measuring.provenance import about
from riata.scoring.counts import accuracy_of
from riata.scoring.evaluation import STATISTICS
from riata.scoring.figures import Sample, mean_sample
from riata.scoring.resampling import Units, units_of
from riata.scoring.search_errors import pooled
from riata.scoring.significance import Statistic, bootstrap_interval, holm, paired_test


def compared(plan: Plan, grid: Grid, *, baseline: str | None = None, notes: Sequence[str] = ()) -> Comparison:
    """baseline: the row that the others are tested against (None: the best)."""
    samples: dict[str, Sample] = {}
    units = _units(plan)
    rows = []
    for number, contestant in enumerate(plan.contestants):
        row = Row(contestant.name, recipe_name(contestant.estimator), parameters=_changed(contestant.estimator))
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


def check_baseline(plan: Plan, baseline: str | None) -> None:
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


def _units(plan: Plan) -> Units:
    """What is resampled of the sentences scored, fold after fold."""
    data = plan.data if plan.test is None else plan.test
    document = getattr(data, "document", None)  # problems have none
    if document is not None and plan.folds:
        document = document[np.concatenate(plan.folds)]
    return units_of(document, len(data))


def _pooled(results: Sequence[Result], units: Units) -> Sample:
    """The main score of all folds together."""
    counts = units.sums(np.concatenate([np.array(result["counts"]) for result in results]))
    statistic = statistic_of(results[0]["main"])
    return Sample(float(statistic(counts.sum(axis=0))), counts, statistic)


def _done(row: Row, by_seed: Sequence[Sequence[Result]], sample: Sample) -> Row:
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


def _baseline(rows: Sequence[Row], asked: str | None) -> str | None:
    """The row asked for, or the best; None where it has no score."""
    scored = {row.name: row.quality.score for row in rows if row.quality is not None}
    if asked is not None:
        return asked if asked in scored else None
    return max(scored, key=scored.__getitem__, default=None)


def _tested(rows: Sequence[Row], samples: Mapping[str, Sample], baseline: str) -> list[Row]:
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
