"""A training by search in the terms of the theory: its margins, its updates, and bounds on their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riata._core import unbounded
from riata.errors import UnsupportedError

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
    """Margins are those of the final weights, not averaged, divided by their norm. See docs/md.

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
        return self.separated(self.recorded[0], self.raw, lambda gamma: theorem1(self.R, gamma))

    def corollary2(self) -> Bound:
        self.check_data()
        return self.measured(best_corollary2(self.R, self.raw, self.run.epochs)[0])

    def corollary3(self) -> Bound:
        self.check_data()
        return self.measured(corollary3(best_corollary2(self.R, self.raw)[0], self.examples), most=1)

    def theorem4(self) -> Bound:
        check_theorem4(self.alpha, self.B, self.C)
        p = self.run.settings["p"]
        return self.separated(self.recorded[1], self.normalised, lambda gamma: theorem4(self.alpha, gamma, p))

    def corollary5(self) -> Bound:
        self.check_corollary5()
        return self.measured(best_corollary5(self.C, self.normalised, self.run.epochs)[0])

    def check_corollary5(self) -> None:
        if self.run.settings["p"] != 2:
            raise UnsupportedError("the corollary is about the 2-norm, and this run had another.")
        check_corollary5(self.alpha, self.B, self.C)
        self.check_data()

    def corollary6(self) -> Bound:
        self.check_corollary5()
        return self.measured(corollary6(best_corollary5(self.C, self.normalised)[0], self.examples), most=1)

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


ROUNDING = 1e-6  # of settings that a theorem asks for


def theorem1(R: float, gamma: float) -> float:
    """Perceptron steps on data that u separates by gamma: at most (R / gamma)^2 updates.

    As corrected: R is the largest |delta| of an update. The paper takes it over one-step successors of y-good nodes only, but an
    update compares with nodes that left the truth several steps ago.
    """
    _positive(gamma=gamma)
    return (R / gamma) ** 2


def corollary2(R: float, D: float, gamma: float) -> float:
    """Perceptron steps on any data: at most ((R + D) / gamma)^2 updates; D is `shortfall2` over all decisions of the run.

    (Freund & Schapire 1999.) With D = 0 it is Theorem 1. Decisions that are met in every epoch count in every epoch.
    """
    _positive(gamma=gamma)
    return ((R + D) / gamma) ** 2


def corollary3(bound: float, examples: int) -> float:
    """The chance of an error on a new example, after one pass over so many: 2 / (examples + 1) times the bound of Corollary 2.

    The corollary has the expected bound over draws of examples + 1; the bound of the one sample at hand is an estimate of it.
    """
    return 2 / (examples + 1) * bound


def theorem4(alpha: float, gamma: float, p: float = 2) -> float:
    """ALMA with B = sqrt(8)/alpha and C = sqrt(2), on data that u separates by gamma.

    At most 2 (p - 1) / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4 updates. As corrected: gamma is the margin of *normalised*
    differences, the least u . delta / max(1, |delta|_p) for u of q-norm 1, 1/p + 1/q = 1; the paper does not say so.
    """
    _positive(gamma=gamma, alpha=alpha)
    return 2 * (p - 1) / gamma**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4


def corollary5(C: float, gamma: float, D1: float) -> float:
    """ALMA with C^2 + 2 (1 - alpha) B C = 1, on any data; D1 is `shortfall1` over all decisions of the run.

    At most D1 / gamma + rho^2 / 2 + rho sqrt(rho^2 / 4 + D1 / gamma + 1) updates. As corrected: rho = 1 / (C gamma), of which the
    paper prints the square, and D1 is the plain sum of shortfalls, not the square root of the sum of their squares.
    """
    _positive(gamma=gamma, C=C)
    rho, share = 1 / (C * gamma), D1 / gamma
    return share + rho**2 / 2 + rho * math.sqrt(rho**2 / 4 + share + 1)


def corollary6(bound: float, examples: int) -> float:
    """As Corollary 3, from the bound of Corollary 5, whose corrections it inherits."""
    return corollary3(bound, examples)


def shortfall2(p: ArrayLike, gamma: float) -> float:
    """D of Corollary 2: the square root of the sum of max(0, gamma - p)^2 over decisions."""
    return float(np.linalg.norm(_shortfalls(p, gamma)))


def shortfall1(p: ArrayLike, gamma: float) -> float:
    """D1 of Corollary 5: the sum of max(0, gamma - p) over decisions."""
    return float(_shortfalls(p, gamma).sum())


def best_corollary2(R: float, p: ArrayLike, epochs: int = 1) -> tuple[float, float]:
    """The least bound of Corollary 2 over gamma, and that gamma. p: of every decision, met once in each epoch."""
    repeated = math.sqrt(epochs)
    return _least(lambda gamma: corollary2(R, repeated * shortfall2(p, gamma), gamma), max(R, 1.0))


def best_corollary5(C: float, p: ArrayLike, epochs: int = 1) -> tuple[float, float]:
    """The least bound of Corollary 5 over gamma, and that gamma. p: of every decision, normalised, met once in each epoch."""
    return _least(lambda gamma: corollary5(C, gamma, epochs * shortfall1(p, gamma)), 1.0)


def check_theorem4(alpha: float, B: float, C: float) -> None:
    """Refuses settings of ALMA that Theorem 4 is not proved for."""
    if not (_close(B, math.sqrt(8) / alpha) and _close(C, math.sqrt(2))):
        raise UnsupportedError(
            f"Theorem 4 is proved for B = sqrt(8)/alpha and C = sqrt(2); found B = {B:.4g}, C = {C:.4g}, alpha = {alpha:g}.",
            remedy=f"Train with settings B={math.sqrt(8) / alpha:.7g} and C={math.sqrt(2):.7g}.",
        )


def check_corollary5(alpha: float, B: float, C: float) -> None:
    """Refuses settings of ALMA that Corollary 5 is not proved for: the defaults among them, since C = sqrt(2) is too large."""
    found = C**2 + 2 * (1 - alpha) * B * C
    if not _close(found, 1):
        example = 0.5
        matching = f"C={example} and B={(1 - example**2) / (2 * (1 - alpha) * example):.7g}" if alpha < 1 else "C=1"
        raise UnsupportedError(
            f"Corollary 5 is proved for C^2 + 2 (1 - alpha) B C = 1; found {found:.4g}.",
            remedy=f"Train with C below 1 and B = (1 - C^2) / (2 (1 - alpha) C), such as {matching}.",
        )


def _shortfalls(p: ArrayLike, gamma: float) -> NDArray[np.float64]:
    return np.maximum(0.0, gamma - np.asarray(p, np.float64))


def _least(bound: Callable[[float], float], scale: float) -> tuple[float, float]:
    """The least value over gamma: a grid, then a line search around its best point. (bound, gamma)"""
    grid = scale * np.logspace(-6, 3, 91)
    at = int(np.argmin([bound(gamma) for gamma in grid]))
    low, high = math.log(grid[max(at - 1, 0)]), math.log(grid[min(at + 1, len(grid) - 1)])
    from scipy.optimize import minimize_scalar  # slow to import, and only diagnoses need it

    found = minimize_scalar(lambda t: bound(math.exp(t)), bounds=(low, high), method="bounded")
    gamma = min((float(grid[at]), math.exp(found.x)), key=bound)
    return bound(gamma), gamma


def _close(found: float, asked: float) -> bool:
    return math.isclose(found, asked, rel_tol=ROUNDING)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise UnsupportedError(f"{name} is {value:g}; the bound needs one above 0.")
