"""An error analysis as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.analysis.span_errors import matrix
from riata.showing.plotting import canvas, check, heat, save

if TYPE_CHECKING:
    from riata.analysis.error_analysis import ErrorAnalysis
    from riata.analysis.slices import Slice

MOST = 9  # labels of a confusion matrix
BLUE, ORANGE, GREY = "tab:blue", "tab:orange", "0.6"
FEW = 10  # spans or tokens; the score of fewer is not drawn
LEAST = 4.0  # points that an axis of scores covers, so that small differences look small
_TITLES = {
    "seen": "seen and unseen words",
    "frequency": "by times in the training data",
    "sentence_length": "by length of the sentence",
    "span_length": "by length of the span",
}


def plot(analysis: ErrorAnalysis, path: Path) -> None:
    check(path, "plot")
    panels = _panels(analysis)
    columns = min(len(panels), 3 if len(panels) <= 6 else 4)
    rows = -(-len(panels) // columns)
    figure = canvas(4.4 * columns, 3.8 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, one in zip(panels, axes, strict=False):
        panel(one)
    for unused in axes[len(panels) :]:
        unused.set_axis_off()
    scores = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in analysis.metrics.items())
    figure.suptitle(
        f"{analysis.data}: {analysis.sentences:,} sentences, {analysis.tokens:,} tokens\n{scores}", fontsize=10
    )
    save(figure, path)


def _panels(analysis: ErrorAnalysis) -> list[Callable[[Any], None]]:
    found: list[Callable[[Any], None]] = []
    if analysis.kinds:
        found.append(partial(_kinds, analysis))
    for of in analysis.confusions:
        if of != "chunk label":  # there would be too many
            found.append(partial(_confusions, analysis, of))
    for name, title in _TITLES.items():
        if name in analysis.slices:
            found.append(partial(_slices, analysis.slices[name], title))
    if analysis.beams:
        found.append(partial(_beams, analysis))
    return found


def _kinds(analysis: ErrorAnalysis, axes: Any) -> None:
    """Missed and wrong spans of every kind, side by side."""
    names = [count.kind for count in analysis.kinds]
    at = np.arange(len(names))
    axes.barh(at - 0.2, [count.missed for count in analysis.kinds], 0.4, color=BLUE, label="missed gold spans")
    axes.barh(at + 0.2, [count.wrong for count in analysis.kinds], 0.4, color=ORANGE, label="wrong spans found")
    axes.set_yticks(at, names)
    axes.invert_yaxis()
    axes.set_title("span errors by kind", fontsize=10)
    axes.legend(fontsize=8)
    axes.grid(axis="x", alpha=0.3)


def _confusions(analysis: ErrorAnalysis, of: str, axes: Any) -> None:
    labels, cells = matrix(analysis.confusions[of], MOST)
    axes.set_title(f"{of}s confused" + (" (same borders)" if of == "type" else ""), fontsize=10)
    if not labels:
        axes.text(0.5, 0.5, "none", ha="center", va="center")
        axes.set_axis_off()
        return
    np.fill_diagonal(cells, np.nan)  # what is right would drown the rest
    cells[cells == 0] = np.nan
    heat(axes, cells, "{:.0f}")
    names = [label if label is not None else "none" for label in labels]
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xlabel("found")
    axes.set_ylabel("gold")


def _slices(parts: Sequence[Slice], title: str, axes: Any) -> None:
    """F1 where there are spans, and accuracies, over bars that say how much data there is."""
    at = np.arange(len(parts))
    spans = parts[0].gold is not None
    size = [part.gold if spans else part.tokens for part in parts]
    behind = axes.twinx()
    behind.bar(at, size, 0.8, color=GREY, alpha=0.35, zorder=0)
    behind.set_ylabel("gold spans" if spans else "tokens", color=GREY)
    behind.tick_params(axis="y", colors=GREY, labelsize=8)
    axes.set_zorder(behind.get_zorder() + 1)
    axes.patch.set_visible(False)
    lines = {"F1": [part.f1 if part.gold and part.gold >= FEW else None for part in parts]} if spans else {}
    for kind in parts[0].right:
        name = "accuracy" if len(parts[0].right) == 1 else f"accuracy of {kind}s"
        lines[name] = [part.accuracy(kind) if part.tokens and part.tokens >= FEW else None for part in parts]
    for (name, values), marker in zip(lines.items(), "oDs", strict=False):
        axes.plot(at, [np.nan if value is None else value for value in values], f"{marker}-", label=name, markersize=5)
    axes.set_xticks(at, [part.name.replace(" times", "").replace(" or more", "+") for part in parts], fontsize=8)
    if len(parts) > 6:
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    axes.set_ylabel(f"% (of {FEW} or more)")
    axes.set_title(title, fontsize=10)
    _widen(axes)
    axes.legend(fontsize=8)


def _beams(analysis: ErrorAnalysis, axes: Any) -> None:
    at = np.arange(len(analysis.beams))
    main = "f1" if "f1" in analysis.metrics else "accuracy"
    behind = axes.twinx()
    missed = [result.errors.missed.count(True) for result in analysis.beams]
    behind.bar(at, missed, 0.8, color=ORANGE, alpha=0.4, zorder=0)
    behind.set_ylabel("sentences whose best output was missed", color=ORANGE)
    behind.tick_params(axis="y", colors=ORANGE, labelsize=8)
    axes.set_zorder(behind.get_zorder() + 1)
    axes.patch.set_visible(False)
    axes.plot(at, [result.metrics[main] for result in analysis.beams], "o-", color=BLUE)
    axes.set_xticks(at, [str(result.beam) for result in analysis.beams])
    axes.set_xlabel("beam")
    axes.set_ylabel(f"{main}, %", color=BLUE)
    axes.set_title("by the beam that decodes", fontsize=10)
    _widen(axes)


def _widen(axes: Any) -> None:
    low, high = axes.get_ylim()
    more = max(0.0, LEAST - (high - low)) / 2
    axes.set_ylim(low - more, high + more)
