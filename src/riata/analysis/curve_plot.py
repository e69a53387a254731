"""A learning curve as a picture."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from riata.showing.plotting import canvas, check, save

if TYPE_CHECKING:
    from riata.analysis.curve import LearningCurve

BLUE, GREY = "tab:blue", "0.5"


def plot(curve: LearningCurve, path: Path) -> None:
    """Scores with their intervals as a band, and those on the training data; sizes are drawn to scale, beams side by side."""
    check(path, "plot")
    figure = canvas(7, 4.5)
    axes = figure.subplots()
    low, high = np.array([point.interval for point in curve.points]).T
    to_scale = curve.by != "beam"
    x = np.array([point.tokens if curve.by == "size" else point.at for point in curve.points], float)
    at = x if to_scale else np.arange(len(x), dtype=float)
    scores = [point.score.mean for point in curve.points]
    axes.fill_between(at, low, high, color=BLUE, alpha=0.2, linewidth=0, label="95 % interval")
    axes.plot(at, scores, "o-", color=BLUE, label="test data")
    for i in (0, len(scores) - 1) if len(scores) > 1 else (0,):
        axes.annotate(
            f"{scores[i]:.1f}", (at[i], scores[i]), (0, -14), textcoords="offset points", ha="center", fontsize=9
        )
    axes.plot(at, [point.train.mean for point in curve.points], "s--", color=GREY, markersize=4, label="training data")
    if len(x) == 1 or not to_scale:
        names = ["inf" if math.isinf(value) else f"{value:,.0f}" for value in x]
        axes.set_xticks(at, names)
    elif curve.by == "epoch":
        axes.xaxis.get_major_locator().set_params(integer=True)
    else:
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xlim(left=0)
    axes.set_xlabel({"size": "tokens of training data", "beam": "beam", "epoch": "epoch"}[curve.by])
    axes.set_ylabel(f"{curve.score}, %")
    over = curve.over
    axes.set_title(
        f"{curve.recipe} on {curve.structure}: {curve.score} on {curve.test}\n(interval over {over})", fontsize=10
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=9)
    save(figure, path)
