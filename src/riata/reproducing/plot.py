"""Reproductions as pictures, by matplotlib (the extra `plots`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import SettingError, UnsupportedError
from riata.reproducing.report import PARTS
from riata.reproducing.run import Outcome

KINDS = (".svg", ".png")


def check(path: Path) -> None:
    """Finds out before the run, not after it, that there can be no picture."""
    if path.suffix not in KINDS:
        raise SettingError(f"--plot is {str(path)!r}; expected a name that ends in {' or '.join(KINDS)}.")
    if not path.absolute().parent.is_dir():
        raise SettingError(f"--plot is {str(path)!r}, but its folder does not exist.", remedy="Choose another --plot.")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UnsupportedError(
            "--plot needs matplotlib, which is not installed.",
            remedy="pip install 'riata[plots]', or leave out --plot.",
        ) from None


def plot(outcome: Outcome, path: Path) -> None:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(layout="constrained")
    {"dots": _dots, "grid": _grids}[outcome.reproduction.picture](outcome, canvas)
    canvas.suptitle(f"{outcome.reproduction.title}\n{_where(outcome)}", fontsize=9)
    canvas.savefig(path, dpi=150)


def _where(outcome: Outcome) -> str:
    return f"ours: {outcome.plan.data}, {PARTS[outcome.split.part]} data, {outcome.plan.seeds} seed{'s' * (outcome.plan.seeds > 1)}"


def _dots(outcome: Outcome, canvas: Any) -> None:
    """A line per row: ours with its interval, and the paper's."""
    rows, key = outcome.reproduction.rows, outcome.reproduction.drawn
    title = next(column.title for column in outcome.reproduction.columns if column.key == key)
    canvas.set_size_inches(7, 1.2 + 0.3 * len(rows))
    axes = canvas.subplots()
    for at, row in enumerate(rows):
        if row.name in outcome.measured:
            figure = outcome.measured[row.name][key]
            low, high = figure.interval or (figure.mean, figure.mean)
            axes.plot([low, high], [at, at], color="tab:blue", alpha=0.5)
            axes.plot(figure.mean, at, "o", color="tab:blue", label="Riata")
        for reading, figures in row.paper.items():
            if key in figures:
                axes.plot(figures[key], at, "D", color="tab:orange", label=reading, markerfacecolor="none")
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(title)
    axes.grid(axis="x", alpha=0.3)
    named = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    canvas.legend(named.values(), named.keys(), loc="outside lower center", ncols=len(named), fontsize=8)


def _grids(outcome: Outcome, canvas: Any) -> None:
    """A heat map of ours, and one of the paper's for each of its readings."""
    reproduction = outcome.reproduction
    readings = list(reproduction.rows[0].paper)
    canvas.set_size_inches(3.6 * (1 + len(readings)), 3.8)
    keys = [column.key for column in reproduction.columns]
    maps = {"Riata": np.array([[outcome.measured[row.name][key].mean for key in keys] for row in reproduction.rows])}
    for reading in readings:
        maps[reading] = np.array([[row.paper[reading][key] for key in keys] for row in reproduction.rows])
    for axes, (name, values) in zip(canvas.subplots(1, len(maps)), maps.items(), strict=True):
        _heat(axes, values)
        axes.set_title(name, fontsize=9)
        axes.set_xticks(range(len(keys)), [column.title for column in reproduction.columns], rotation=45, fontsize=8)
        axes.set_yticks(range(len(values)), [row.name for row in reproduction.rows], fontsize=8)


def _heat(axes: Any, values: NDArray[np.float64]) -> None:
    axes.imshow(values, cmap="Blues")
    middle = (values.min() + values.max()) / 2
    for (i, j), value in np.ndenumerate(values):
        axes.text(
            j, i, f"{value:.1f}", ha="center", va="center", fontsize=8, color="white" if value > middle else "black"
        )
