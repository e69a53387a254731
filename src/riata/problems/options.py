"""The parameters of a Predictor, checked: settings of the search and its learner, development data, flags."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from riata import registry
from riata._core import unbounded
from riata.choosing.options import PATIENCE
from riata.choosing.recipe import Offered, Recipe, check_read, check_searched
from riata.data.memory import is_whole
from riata.errors import SettingError, UnsupportedError, printed
from riata.inference.structure import FEATURE_WEIGHTS, SPACE, STEP_LOSSES, Queue
from riata.learning.development import check_given_once, check_needs
from riata.learning.margin.settings import never_goes_on
from riata.problems.examples import paired
from riata.problems.problem import Problem, check, defined
from riata.settings import Setting, resolve

if TYPE_CHECKING:
    from riata.problems.predictor import Predictor

# What every problem in Python offers. Losses of steps are those of loss_increment, for which a recipe that needs them asks.
OF_PROBLEMS = frozenset({SPACE, STEP_LOSSES, FEATURE_WEIGHTS, "several right states"})
NOT_HERE = ("precision",)  # weights of problems in Python are always double
HERE = (
    Setting(
        "max_depth",
        0,
        "steps after which a path is given up; 0: 10,000, or 10 times the longest true output or x, if that is more",
        low=0,
        high=2**31 - 1,
    ),
)


def searching(recipe_name: str) -> Recipe:
    """A recipe as it learns problems; UnsupportedError where it does not search."""
    named: Recipe = registry.get("recipe", recipe_name)
    recipe = named.on(OF_PROBLEMS)
    if not recipe.searches:
        raise UnsupportedError(
            f"Recipe {recipe_name!r} needs {', '.join(sorted(recipe.needs))}; a problem written in Python is searched only.",
            remedy="Use a recipe that searches, such as laso-alma.",
        )
    return recipe


def declared(recipe_name: str) -> tuple[Setting, ...]:
    """The settings of a recipe for problems."""
    recipe = searching(recipe_name)
    return tuple(setting for setting in recipe.settings if setting.name not in NOT_HERE) + HERE


def offered(queue: Queue) -> Offered:
    """What problems in Python and this queue offer. There are queues in its place, but no structures."""
    return Offered(OF_PROBLEMS, "a problem in Python", queue, lambda piece: isinstance(piece, Queue) and piece.searches)


def checked(predictor: Predictor, *, learning: bool, goes_on: bool = False) -> dict[str, Any]:
    """All settings of the search and its learner, or the reason why they do not go together.

    goes_on: whether learning goes on from the model that is there.
    """
    check(predictor.problem, learning=learning)
    if not isinstance(predictor.settings, (Mapping, type(None))):
        raise SettingError(f"settings is {predictor.settings!r}; expected a dictionary.")
    recipe = predictor.recipe
    queue: Queue = registry.get("queue", "beam" if predictor.queue is None else predictor.queue)
    check_searched(searching(recipe), predictor.settings or {}, offered(queue))
    settings: dict[str, Any] = {
        **searching(recipe).fixed,
        **resolve(declared(recipe), predictor.settings or {}, f"The recipe {recipe!r}"),
    }
    if not queue.searches:
        raise UnsupportedError(
            f"The queue {queue.name!r} is a dynamic program of the core's structures; a problem written in Python is searched only.",
            remedy="With key(x, s), a beam without a limit (beam=None) is exact.",
        )
    if learning:
        queue.check_trains()
        check_read(declared(recipe), settings, offered(queue))
        _check_learns(predictor, searching(recipe), goes_on=goes_on)
    if queue.name == "a-star":
        _check_defines(
            predictor.problem, "heuristic", "The queue 'a-star'", "Without it, best-first is the same search."
        )
    if queue.name == "beam" and settings["beam_by"] == "prefix":
        remedy = "Without it, compare equal numbers of operations."
        _check_defines(predictor.problem, "covered", "beam_by='prefix'", remedy)
    if not settings["merge"]:
        _check_defines(predictor.problem, "key", "merge=False", "Without it, no states are merged: leave out merge.")
    beam = width(predictor.beam)
    whole("epochs", predictor.epochs, 1)
    whole("seed", predictor.seed, 0)
    deepest = getattr(predictor, "facts_", {}).get("deepest", 0) if goes_on or not learning else 0
    return {**settings, "queue": queue.name, "beam": beam, "deepest": deepest}


def _check_learns(predictor: Predictor, recipe: Recipe, *, goes_on: bool) -> None:
    """Refuses a problem without the losses of steps that the recipe needs, and to go on where it cannot."""
    if STEP_LOSSES in recipe.needs:
        remedy = "Define it: along a path to a goal, it must add up to the regret of the goal."
        _check_defines(predictor.problem, "loss_increment", f"The recipe {recipe.name!r}", remedy, "x, s, a, y")
    if goes_on and recipe.whole and hasattr(predictor, "model_"):
        raise never_goes_on(recipe.name)


@dataclass(frozen=True, eq=False)
class Development:
    """What chooses the epoch. share: of the training data, at their end; or inputs and outputs of their own; or neither."""

    share: float | None
    data: tuple[list[Any], list[Any]] | None
    patience: int | None
    refit: bool

    @property
    def is_there(self) -> bool:
        return self.share is not None or self.data is not None


def development(predictor: Predictor, X: Any, Y: Any) -> Development:
    """From the parameters and, in place of `dev`, from the X_dev and Y_dev of fit."""
    for name in ("refit", "warm_start"):
        if not isinstance(getattr(predictor, name), (bool, np.bool_)):
            raise SettingError(f"{name} is {getattr(predictor, name)!r}; expected True or False.")
    dev, share, data = predictor.dev, None, None
    if check_given_once(X, Y, dev, ("X_dev", "Y_dev")):
        data = paired(X, Y, ("X_dev", "Y_dev"))
    elif isinstance(dev, (tuple, list)) and len(dev) == 2:
        data = paired(*dev, ("X of dev", "Y of dev"))
    elif isinstance(dev, (int, float, np.number)) and not isinstance(dev, bool) and 0 < dev < 1:
        share = float(dev)
    elif dev is not None:
        raise SettingError(
            f"dev is {printed(dev):.60}; expected a pair (X, Y), or a fraction between 0 and 1, such as 0.1."
        )
    patience = None if predictor.patience is None else int(PATIENCE.parse(predictor.patience))
    found = Development(share, data, patience, bool(predictor.refit))
    remedy = "Give dev, a pair (X, Y) or a fraction such as 0.1, or X_dev and Y_dev."
    check_needs(found.is_there, refit=found.refit, patience=patience, remedy=remedy)
    return found


def width(beam: Any) -> int:
    """The width of a beam; None and infinity are no limit."""
    return int(unbounded) if beam in (None, math.inf) else whole("beam", beam, 1)


def whole(name: str, value: Any, low: int) -> int:
    number = is_whole(value) and low <= value <= unbounded
    if not number:
        or_none = ", or None for an unbounded one" if name == "beam" else ""
        raise SettingError(f"{name} is {printed(value)}; expected a whole number of at least {low}{or_none}.")
    return int(value)


def _check_defines(problem: Problem, method: str, what: str, remedy: str, arguments: str = "x, s") -> None:
    if method not in defined(problem):
        raise UnsupportedError(
            f"{what} needs {method}({arguments}); the problem {type(problem).__name__!r} defines none.", remedy=remedy
        )
