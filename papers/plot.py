"""Reproductions as pictures, by matplotlib (the extra `plots`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from papers.report import PARTS, part
from papers.run import Outcome
from riata.showing.plotting import canvas, heat, save


def plot(outcome: Outcome, path: Path) -> None:
    figure = canvas(7, 4)
    {"dots": _dots, "grid": _grids, "curves": _curves, "panels": _panels}[outcome.reproduction.picture](outcome, figure)
    figure.suptitle(f"{outcome.reproduction.title}\n{_where(outcome)}", fontsize=9)
    save(figure, path)


def _where(outcome: Outcome) -> str:
    plan, data = outcome.plan, outcome.plan.data(outcome.reproduction)
    return f"ours: {data}, {PARTS[part(outcome)]} data, {plan.seeds} seed{'s' * (plan.seeds > 1)}"


def _dots(outcome: Outcome, figure: Any) -> None:
    """A line per row: ours with its interval, and the paper's."""
    rows, key = outcome.reproduction.rows, outcome.reproduction.drawn
    title = next(column.title for column in outcome.reproduction.columns if column.key == key)
    figure.set_size_inches(7, 1.2 + 0.3 * len(rows))
    axes = figure.subplots()
    for at, row in enumerate(rows):
        if row.name in outcome.measured:
            measured = outcome.measured[row.name][key]
            low, high = measured.interval or (measured.mean, measured.mean)
            axes.plot([low, high], [at, at], color="tab:blue", alpha=0.5)
            axes.plot(measured.mean, at, "o", color="tab:blue", label="Riata")
        for reading, figures in row.paper.items():
            if key in figures:
                axes.plot(figures[key], at, "D", color="tab:orange", label=reading, markerfacecolor="none")
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(title)
    axes.grid(axis="x", alpha=0.3)
    named = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=len(named), fontsize=8)


def _curves(outcome: Outcome, figure: Any) -> None:
    """A line per row, against the number at the end of what was measured; one picture for each word before the number."""
    kinds: dict[str, dict[str, int]] = {}
    for key in dict.fromkeys(key for measured in outcome.measured.values() for key in measured):
        kind, _, number = key.rpartition("_")
        if number.isdigit():
            kinds.setdefault(kind, {})[key] = int(number)
    kinds = {kind: dict(sorted(keys.items(), key=lambda item: item[1])) for kind, keys in kinds.items()}
    figure.set_size_inches(4.5 * len(kinds), 4)
    for axes, (kind, keys) in zip(np.atleast_1d(figure.subplots(1, len(kinds))), kinds.items(), strict=True):
        for name, measured in outcome.measured.items():
            drawn = [(at, measured[key].mean) for key, at in keys.items() if key in measured and measured[key].mean > 0]
            axes.plot(*(zip(*drawn, strict=True) if drawn else ((), ())), marker="o", markersize=3, label=name)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("passes")
        axes.set_ylabel(kind)
        axes.grid(alpha=0.3)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)


def _panels(outcome: Outcome, figure: Any) -> None:
    """A picture for each text before the colon in names of rows: a line per row, against the number at the end of keys of columns."""
    kind = outcome.reproduction.drawn.rpartition("_")[0]
    split = {column.key: column.key.rpartition("_") for column in outcome.reproduction.columns}
    at = {key: int(number) for key, (before, _, number) in split.items() if before == kind}
    panels = list(dict.fromkeys(name.rpartition(": ")[0] for name in outcome.measured))
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    figure.set_size_inches(4.2 * across, 0.8 + 2.6 * down)
    shown = np.atleast_1d(figure.subplots(down, across)).ravel()
    for axes, panel in zip(shown, panels, strict=False):
        for name, measured in outcome.measured.items():
            if name.rpartition(": ")[0] != panel:
                continue
            keys = [key for key in at if key in measured]
            means = [measured[key].mean for key in keys]
            low, high = zip(*(measured[key].interval or (measured[key].mean,) * 2 for key in keys), strict=True)
            (line,) = axes.plot(
                [at[key] for key in keys], means, marker="o", markersize=3, label=name.rpartition(": ")[2]
            )
            axes.fill_between([at[key] for key in keys], low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        axes.set_xscale("log")
        axes.set_title(panel, fontsize=9)
        axes.grid(alpha=0.3)
    for axes in shown[len(panels) :]:
        axes.set_visible(False)
    handles, labels = shown[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8)


def _grids(outcome: Outcome, figure: Any) -> None:
    """A heat map of ours, and one of the paper's for each of its readings."""
    reproduction = outcome.reproduction
    readings = list(reproduction.rows[0].paper)
    figure.set_size_inches(3.6 * (1 + len(readings)), 3.8)
    keys = [column.key for column in reproduction.columns]
    maps = {"Riata": np.array([[outcome.measured[row.name][key].mean for key in keys] for row in reproduction.rows])}
    for reading in readings:
        printed = [row.paper.get(reading, {}) for row in reproduction.rows]
        maps[reading] = np.array([[figures.get(key, np.nan) for key in keys] for figures in printed])
    for axes, (name, values) in zip(figure.subplots(1, len(maps)), maps.items(), strict=True):
        heat(axes, values)
        axes.set_title(name, fontsize=9)
        axes.set_xticks(range(len(keys)), [column.title for column in reproduction.columns], rotation=45, fontsize=8)
        axes.set_yticks(range(len(values)), [row.name for row in reproduction.rows], fontsize=8)
