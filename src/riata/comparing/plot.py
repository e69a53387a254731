"""Quality against training time, by matplotlib (the extra `plots`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riata.comparing.comparison import Comparison
from riata.comparing.show import TITLES
from riata.errors import UnsupportedError
from riata.showing.plotting import check_installed


def plot(comparison: Comparison, path: str | Path | None = None) -> Any:
    """A point per row that was trained, with its interval; time on a logarithmic scale."""
    check_installed()
    from matplotlib.figure import Figure

    rows = [(row.name, row.quality, row.costs) for row in comparison.rows]
    if not any(quality for _, quality, _ in rows):
        raise UnsupportedError("there is nothing to draw: no row was trained.")
    canvas = Figure(figsize=(7, 4.5), layout="constrained")
    axes = canvas.subplots()
    for number, (name, quality, costs) in enumerate(rows):
        if quality is None or costs is None:
            continue
        colour = f"C{number % 10}"
        seconds = max(costs.cpu_train, 1e-4)
        axes.plot([seconds, seconds], [quality.low, quality.high], color=colour, alpha=0.5)
        axes.plot(seconds, quality.score, "o", color=colour)
        axes.annotate(
            name, (seconds, quality.score), xytext=(6, 4), textcoords="offset points", fontsize=8, color=colour
        )
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_xlabel("CPU seconds of training")
    axes.set_ylabel(f"{TITLES.get(comparison.metric, comparison.metric)}, with 95 % intervals")
    axes.set_title(f"Scored: {comparison.scored}", fontsize=9)
    axes.grid(alpha=0.3)
    if path is not None:
        canvas.savefig(path, dpi=150)
    return canvas
