"""What a reproduction found: as one JSON object, and as a table with the claims in words."""

from __future__ import annotations

import json
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from papers.reproduction import Column, Reproduction, Row
from papers.run import Outcome
from riata.comparing.show import print_whole
from riata.scoring.figures import LEVEL, Figure
from riata.scoring.resampling import units_of

PARTS = {"train": "training", "dev": "development", "test": "test"}
COLOURS = {"held": "green", "did not hold": "red"}


def as_json(outcome: Outcome) -> str:
    """The one object of `--json`; docs/reproduce.md has its shape."""
    return json.dumps(facts(outcome))


def facts(outcome: Outcome) -> dict[str, Any]:
    reproduction, plan, split = outcome.reproduction, outcome.plan, outcome.split
    return {
        "reproduction": reproduction.name,
        "title": reproduction.title,
        "paper": reproduction.paper,
        "task": reproduction.task.name,
        "quick": plan.quick,
        "data": plan.data(reproduction),
        "scored": part(outcome),
        "sentences_train": None if split is None else len(split.learnt),
        "sentences_scored": None if split is None else len(split.scored),
        "epochs": plan.epochs(reproduction),
        "seeds": list(range(plan.seeds)),
        "interval": interval_kind(outcome),
        "columns": {column.key: column.title for column in reproduction.columns},
        "budgets": budgets(outcome),
        "rows": [row_facts(row, outcome) for row in reproduction.rows],
        "claims": claims(outcome),
        "remarks": list(reproduction.remarks),
        "cells": cells(outcome),
        **outcome.about,
    }


def row_facts(row: Row, outcome: Outcome) -> dict[str, Any]:
    ours = outcome.measured.get(row.name)
    return {
        "row": row.name,
        "run": ours is not None,
        "setting": None if row.setting is None else dict(row.setting),
        "ours": None if ours is None else {key: _numbers(figure) for key, figure in ours.items()},
        "paper": {reading: dict(figures) for reading, figures in row.paper.items()},
        "note": row.note,
    }


def _numbers(figure: Figure) -> dict[str, Any]:
    low, high = figure.interval or (None, None)
    return {
        "mean": _rounded(figure.mean),
        "low": None if low is None else _rounded(low),
        "high": None if high is None else _rounded(high),
        "values": list(map(_rounded, figure.values)),
    }


def _rounded(value: float) -> float:
    """To nine digits: numbers may be times, scores, margins or counts."""
    return float(f"{value:.9g}")


def claims(outcome: Outcome) -> list[dict[str, Any]]:
    return [claim.judged(outcome.measured, quick=outcome.plan.quick) for claim in outcome.reproduction.claims]


def budgets(outcome: Outcome) -> list[dict[str, Any]]:
    """What rows may use: epochs, template and lists; rows of equal budgets together."""
    found: dict[str, dict[str, Any]] = {}
    for row in outcome.reproduction.rows:
        if row.name not in outcome.measured or row.setting is None:
            continue
        budget = {
            "epochs": outcome.plan.epochs_of(row, outcome.reproduction),
            "template": row.setting.get("template"),
            "lists": row.setting.get("lists"),
        }
        found.setdefault(repr(budget), {**budget, "rows": []})["rows"].append(row.name)
    return list(found.values())


def cells(outcome: Outcome) -> dict[str, Any]:
    """How many trainings were read from a file, and by which commits and machines all of them were made."""
    return {
        "stored": sum(origin.stored for origin in outcome.origins),
        "trained": sum(not origin.stored for origin in outcome.origins),
        "commits": sorted({origin.commit or "not known" for origin in outcome.origins}),
        "machines": sorted({origin.cpu or "not known" for origin in outcome.origins}),
    }


def part(outcome: Outcome) -> str:
    """Which data are scored."""
    if outcome.split is None:
        return "test" if outcome.plan.final else "dev"
    return outcome.split.part


def interval_kind(outcome: Outcome) -> str:
    """How the intervals were made."""
    seeds, level = outcome.plan.seeds, f"{100 * LEVEL:.0f} %"
    units = scored_units(outcome)
    if units is None:
        return f"{level}, Student's t over {seeds} seeds" if seeds > 1 else "none, of one run"
    if seeds > 1:
        return f"{level}, over {seeds} seeds (Student's t) and {units} (bootstrap) together; times and epochs over seeds alone"
    return f"{level}, bootstrap over {units}, one seed"


def scored_units(outcome: Outcome) -> str | None:
    """What scores are sums over; None where nothing is known but the scores."""
    if outcome.split is None:
        samples = [sample for row in outcome.measured.values() for figure in row.values() for sample in figure.samples]
        return "sentences" if any(sample.counts is not None for sample in samples) else None
    if outcome.split.dev is None:
        return None
    return str(units_of(outcome.split.scored.document, len(outcome.split.scored)))


def show(outcome: Outcome, console: Console) -> None:
    reproduction, plan, split = outcome.reproduction, outcome.plan, outcome.split
    data = f"{reproduction.task.name}; {plan.data(reproduction)}"
    if split is not None:
        data += f", {len(split.learnt):,} sentences to learn from, {PARTS[split.part]} data of {len(split.scored):,}"
    about = f"{data}; at most {plan.epochs(reproduction)} epochs; intervals: {interval_kind(outcome)}"
    console.print(f"[bold]{escape(reproduction.title)}[/]", soft_wrap=True)
    console.print(escape(about), soft_wrap=True)
    if plan.quick:
        console.print("A quick run on little data: it shows that everything works, and proves nothing.", style="yellow")
    print_whole(table(outcome), console)
    _show_budgets(outcome, console)
    _show_notes(reproduction, console)
    _show_claims(outcome, console)


def _show_budgets(outcome: Outcome, console: Console) -> None:
    found = budgets(outcome)
    for budget in found:
        names = "every row" if len(found) == 1 else "; ".join(budget["rows"])
        template = f"template {budget['template']}" if budget["template"] else "the task's own template"
        lists = f" with {budget['lists']} lists" if budget["lists"] else ""
        said = f"at most {budget['epochs']} epochs, {template}{lists}, {outcome.plan.seeds} seed{'s' * (outcome.plan.seeds > 1)}"
        console.print(f"Budget: {said}: {escape(names)}", soft_wrap=True)
    made = cells(outcome)
    if made["stored"]:
        console.print(
            f"{made['stored']} trainings were stored, {made['trained']} are new; commits: {', '.join(made['commits'])}; "
            f"machines: {', '.join(made['machines'])}",
            soft_wrap=True,
            markup=False,
        )


def _show_notes(reproduction: Reproduction, console: Console) -> None:
    """Notes of rows, each once, and remarks."""
    noted: dict[str, list[str]] = {}
    for row in reproduction.rows:
        noted.setdefault(row.note, []).append(row.name)
    for note, names in noted.items():
        if note:
            console.print(f"[bold]{escape('; '.join(names))}[/]: {escape(note)}", soft_wrap=True)
    for remark in reproduction.remarks:
        console.print(f"- {escape(remark)}", soft_wrap=True)


def _show_claims(outcome: Outcome, console: Console) -> None:
    if outcome.plan.quick:
        console.print("\nWhat the paper says, which this little data cannot judge:")
        for claim in outcome.reproduction.claims:
            console.print(f"- {escape(claim.text)}", soft_wrap=True)
        return
    console.print("\nWhat the paper says, and what was found:")
    for judged in claims(outcome):
        colour = COLOURS.get(judged["verdict"], "yellow")
        console.print(f"[{colour}]{judged['verdict']}[/]: {escape(judged['claim'])}", soft_wrap=True)
        console.print(f"    {escape(judged['said'])}", soft_wrap=True)


def table(outcome: Outcome) -> Table:
    """Every row in two lines or more: ours, and the paper's under each of its readings."""
    columns = outcome.reproduction.columns
    made = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    made.add_column("")  # names are broken into lines where the table is too wide, so that numbers are never cut
    for column in columns:
        made.add_column(column.title, justify="right", no_wrap=True)
    for row in outcome.reproduction.rows:
        ours = outcome.measured.get(row.name)
        name = escape(row.name)
        if ours is None:
            made.add_row(f"{name} (quoted)", *[""] * len(columns))
        else:
            made.add_row(f"[bold]{name}[/]", *(_cell(column, ours.get(column.key)) for column in columns))
        for reading, figures in row.paper.items():
            cells = [column.show_paper(figures[column.key]) if column.key in figures else "" for column in columns]
            made.add_row(f"  {escape(reading)}", *cells, style="dim")
    return made


def _cell(column: Column, figure: Figure | None) -> str:
    if figure is None:
        return ""
    text = column.show(figure.mean)
    if not column.interval or figure.interval is None:
        return text
    low, high = figure.interval
    return f"{text} ({low:.1f}–{high:.1f})"
