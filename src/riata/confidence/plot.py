"""Confidence against the share that is right, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from riata.showing import plotting

if TYPE_CHECKING:
    from riata.confidence.reliability import Reliability
    from riata.confidence.report import CalibrationReport


def draw(report: CalibrationReport, path: str | Path) -> None:
    """A panel per output: before and after calibration, bins of equal mass, and the diagonal where confidence can be believed."""
    plotting.check(Path(path), "path")
    canvas = plotting.canvas(4.6 * len(report.outputs), 4.8)
    for axes, each in zip(canvas.subplots(1, len(report.outputs), squeeze=False)[0], report.outputs, strict=True):
        axes.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle=":")
        _curve(axes, each.before, "before", "tab:orange", "s")
        _curve(axes, each.after, "after", "tab:blue", "o")
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="share that is right", title=each.output)
        axes.set_aspect("equal")
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right", fontsize=8)
    canvas.suptitle(f"{report.method}; bins of equal mass; after: on the other half of the sentences", fontsize=9)
    plotting.save(canvas, Path(path))


def _curve(axes: Any, judged: Reliability, name: str, colour: str, marker: str) -> None:
    label = f"{name}: ECE {judged.ece:.3f}, Brier {judged.brier:.3f}"
    places = [each.confidence for each in judged.bins], [each.right for each in judged.bins]
    axes.plot(*places, marker=marker, markersize=4, color=colour, label=label, linewidth=1)
