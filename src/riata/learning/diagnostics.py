"""A training by search in the terms of the theory: its margins, its updates, and bounds on their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import unbounded
from riata.errors import UnsupportedError
from riata.learning import theory

NOT_MET = "no promise: training may have compared states that this search never met"
SAYS_NOTHING = "above 1, so it says nothing"


@dataclass(frozen=True, eq=False)
class Run:
    """What the theory needs to know about a training. Kept in memory, not in the model file."""

    model: Any  # with the final weights, not the averaged ones
    stats: Mapping[str, Any]  # of the native learner: updates, non_violating, largest_difference
    # The least w . delta of all updates, and the same normalised; only with the setting record.
    recorded: tuple[float, float]
    settings: Mapping[str, Any]  # of the recipe and its queue
    examples: int
    epochs: int  # epochs that have begun
    from_zero: bool  # whether training did not start from a model
    levelled: bool  # whether states are only merged with states of their own level


@dataclass(frozen=True)
class Bound:
    """A number, or the reason why there is none. holds: whether it is proved for the run, not only computed."""

    value: float | None
    holds: bool = False
    note: str = ""

    def __str__(self) -> str:
        number = "" if self.value is None else f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.4g}"
        return f"{number} ({self.note})" if number and self.note else number or self.note


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """Margins are those of the final weights, not averaged, divided by their norm. See docs/theory.md.

    survival_margin: by how much the search keeps the truth, and ends with it; it works where this is above 0.
    level_margin: the least u . delta / max(1, |delta|) over decisions, y-good x y-bad; raw_margin: the least u . delta.
    update_margin, raw_update_margin: the same over all updates of training; None without the setting record.
    """

    updates: int
    non_violating: int  # updates although the weights already preferred the truth
    R: float  # the largest |delta| of an update
    norm: float  # of the final weights
    examples: int
    decisions: int  # number of decisions measured
    losses: int  # how many times the final weights lose the truth
    survival_margin: float
    level_margin: float
    raw_margin: float
    update_margin: float | None
    raw_update_margin: float | None
    largest_difference: float  # largest |delta| of the decisions measured
    bounds: Mapping[str, Bound]
    raw_margins: NDArray[np.float64] = field(repr=False)  # [decisions]
    level_margins: NDArray[np.float64] = field(repr=False)  # [decisions]

    def __str__(self) -> str:
        lines = [
            f"updates          {self.updates:,} ({self.non_violating:,} without a violation)",
            f"R                {self.R:.4g}, the largest difference of an update",
            f"norm             {self.norm:.4g}, of the final weights",
            f"decisions        {self.decisions:,} in {self.examples:,} examples; the truth is lost {self.losses:,} times",
            f"survival margin  {self.survival_margin:.4g}",
            f"level margin     {self.level_margin:.4g} ({self.raw_margin:.4g} not normalised)",
            *self._of_updates(),
            *(f"{name:15s}  {bound}" for name, bound in self.bounds.items()),
        ]
        return "\n".join(lines)

    def _of_updates(self) -> list[str]:
        if self.update_margin is None:
            return []
        return [f"update margin    {self.update_margin:.4g} ({self.raw_update_margin:.4g} not normalised)"]


def not_kept(owner: str, recipe: str, *, searches: bool, seeds: int = 1) -> UnsupportedError:
    """The error that says why there is nothing to diagnose."""
    if seeds > 1:
        return UnsupportedError(
            f"The model is the sum of {seeds} seeds; margins and bounds are those of a single training.",
            remedy="Train with seeds=1.",
        )
    if not searches:
        return UnsupportedError(
            f"The recipe {recipe!r} learns from whole outputs; margins and bounds are those of a search.",
            remedy="Use a recipe that searches, such as laso-perceptron, with a queue that keeps states, such as beam.",
        )
    return UnsupportedError(
        f"This {owner} was not trained here by fit: neither a model file nor partial_fit keeps what theory asks about a training.",
        remedy="Call fit, and diagnose the same object.",
    )


def measured_settings(run: Run, beam: float | None, width: Callable[[float], int]) -> dict[str, Any]:
    """The settings to measure with: those of training, or with another beam."""
    if beam is None:
        return dict(run.settings)
    by = run.settings["beam_by"]
    return {**run.settings, "queue": "beam", "beam": width(beam), "beam_by": "operations" if by == "pending" else by}


def diagnosis(run: Run, report: Mapping[str, Any], settings: Mapping[str, Any], examples: int) -> Diagnostics:
    """The diagnosis from a native report of margins. settings: those with which it was measured."""
    norm = report["norm"] or 1.0  # zero weights have margins of 0
    raw, normalised = report["raw"] / norm, report["normalised"] / norm
    raw_update, update = [margin / norm if run.settings["record"] else None for margin in run.recorded]
    return Diagnostics(
        updates=run.stats["updates"],
        non_violating=run.stats["non_violating"],
        R=run.stats["largest_difference"],
        norm=report["norm"],
        examples=examples,
        decisions=len(raw),
        losses=report["losses"],
        survival_margin=report["survival"] / norm,
        level_margin=float(normalised.min(initial=math.inf)),
        raw_margin=float(raw.min(initial=math.inf)),
        update_margin=update,
        raw_update_margin=raw_update,
        largest_difference=report["largest_difference"],
        bounds=_Bounds(run, report, settings, examples, raw, normalised).all(),
        raw_margins=raw,
        level_margins=normalised,
    )


class _Bounds:
    """Which bounds apply to a run, and their values."""

    def __init__(
        self,
        run: Run,
        report: Mapping[str, Any],
        settings: Mapping[str, Any],
        examples: int,
        raw: NDArray[np.float64],
        normalised: NDArray[np.float64],
    ) -> None:
        self.run, self.examples = run, examples
        self.R = run.stats["largest_difference"]
        self.step = run.settings["step"]
        self.alpha = run.settings["alpha"]
        self.B = run.settings["B"] or 1 / self.alpha
        self.C = run.settings["C"] or math.sqrt(2)
        self.raw, self.normalised = raw, normalised
        self.recorded = [margin / (report["norm"] or 1.0) for margin in run.recorded]
        self.complete = _complete(run, report, settings)
        if _merged_but_complete(run, report, settings):
            # Of merged states only the best is seen: the one with the largest score, not with the largest score per length.
            self.complete = True
            self.normalised = np.where(raw > 0, raw / max(1.0, self.R), raw)

    def all(self) -> dict[str, Bound]:
        given = {
            "Theorem 1": ("perceptron", self.theorem1),
            "Corollary 2": ("perceptron", self.corollary2),
            "Corollary 3": ("perceptron", self.corollary3),
            "Theorem 4": ("alma", self.theorem4),
            "Corollary 5": ("alma", self.corollary5),
            "Corollary 6": ("alma", self.corollary6),
        }
        return {name: self.bound(step, of) for name, (step, of) in given.items()}

    def bound(self, step: str, of: Callable[[], Bound]) -> Bound:
        if step != self.step:
            return Bound(None, note=f"about the step {step}, and this run took {self.step}")
        try:
            self.check_run()
            return of()
        except UnsupportedError as error:
            return Bound(None, note=f"{error.message} {error.remedy}".strip())

    def check_run(self) -> None:
        """Raises an error if no bound applies to the run."""
        if self.run.stats["non_violating"]:
            raise UnsupportedError(f"{self.run.stats['non_violating']:,} updates violated nothing, so no bound holds.")
        if self.run.settings["update"] == "queue":
            raise UnsupportedError("update=queue takes the mean over y-good states too, which have no margin.")
        if not self.run.from_zero:
            raise UnsupportedError("training went on from other weights than zero.")

    def check_data(self) -> None:
        if self.examples != self.run.examples:
            raise UnsupportedError(
                f"training saw {self.run.examples:,} examples, and these are {self.examples:,}.",
                remedy="Diagnose the training data.",
            )

    def theorem1(self) -> Bound:
        return self.separated(self.recorded[0], self.raw, lambda gamma: theory.theorem1(self.R, gamma))

    def corollary2(self) -> Bound:
        self.check_data()
        return self.measured(theory.best_corollary2(self.R, self.raw, self.run.epochs)[0])

    def corollary3(self) -> Bound:
        self.check_data()
        return self.measured(theory.corollary3(theory.best_corollary2(self.R, self.raw)[0], self.examples), most=1)

    def theorem4(self) -> Bound:
        theory.check_theorem4(self.alpha, self.B, self.C)
        p = self.run.settings["p"]
        return self.separated(self.recorded[1], self.normalised, lambda gamma: theory.theorem4(self.alpha, gamma, p))

    def corollary5(self) -> Bound:
        self.check_corollary5()
        return self.measured(theory.best_corollary5(self.C, self.normalised, self.run.epochs)[0])

    def check_corollary5(self) -> None:
        if self.run.settings["p"] != 2:
            raise UnsupportedError("the corollary is about the 2-norm, and this run had another.")
        theory.check_corollary5(self.alpha, self.B, self.C)
        self.check_data()

    def corollary6(self) -> Bound:
        self.check_corollary5()
        return self.measured(
            theory.corollary6(theory.best_corollary5(self.C, self.normalised)[0], self.examples), most=1
        )

    def separated(self, recorded: float, margins: NDArray[np.float64], bound: Callable[[float], float]) -> Bound:
        """The bound from the margin over the updates of the run or, if these were not recorded, over the decisions measured."""
        record = self.run.settings["record"]
        if not record:
            self.check_data()
        least = recorded if record else float(margins.min(initial=math.inf))
        if least <= 0:
            what = "updates of this run" if record else "states of these data"
            raise UnsupportedError(f"the final weights do not separate the {what}: the least margin is {least:.3g}.")
        return Bound(bound(least), holds=True) if record else self.measured(bound(least))

    def measured(self, value: float, most: float = math.inf) -> Bound:
        notes = [SAYS_NOTHING] * (value > most) + [NOT_MET] * (not self.complete)
        return Bound(value, holds=self.complete, note="; ".join(notes))


def _by_level(settings: Mapping[str, Any]) -> bool:
    """Whether a search takes a whole level at a time."""
    name: str = settings["queue"]
    by: str = settings["beam_by"]
    return name == "greedy" or (name == "beam" and by != "pending")


def _goes_on_from_the_truth(run: Run) -> bool:
    """Whether training never continued from a state that was wrong."""
    return run.settings["when"] in ("laso", "early")


def _complete(run: Run, report: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether all pairs of states that training could have compared have been measured.

    A beam of width one that restarts from the truth only compares the truth with its siblings, unless states of other prefixes are
    continued beside it. In general all states of a level must be seen.
    """
    if not _by_level(run.settings) or not _by_level(settings):
        return False
    one = run.settings["queue"] == "greedy" or (run.settings["beam"] == 1 and run.settings["beam_by"] == "operations")
    if one and _goes_on_from_the_truth(run) and report["most_good"] <= 1:
        return True
    return _wide(settings) and not (report["merges"] or report["uneven"])


def _merged_but_complete(run: Run, report: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether the best state of every set of merged states has been measured, which is enough for margins that are not normalised.

    A state that reaches the same state as the truth is merged with it, in training as well as here; if it wins, the truth is lost and
    training continues without it.
    """
    levels = run.levelled and _by_level(run.settings) and _wide(settings) and not report["uneven"]
    seen = report["merges"] and report["losses"] == 0 and report["most_good"] <= 1
    return bool(levels and seen) and _goes_on_from_the_truth(run) and not _complete(run, report, settings)


def _wide(settings: Mapping[str, Any]) -> bool:
    return _by_level(settings) and settings["queue"] == "beam" and int(settings["beam"]) >= unbounded
