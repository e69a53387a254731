"""Two passes over a text: the parameters, and what they cannot be combined with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riata import registry
from riata.choosing.recipe import Recipe
from riata.data.types import Corpus
from riata.errors import DataError, SettingError, UnknownNameError, UnsupportedError
from riata.features.templates import MODES
from riata.settings import Setting

PASSES = Setting("passes", 1, "over a text: the second reads labels of the first", low=1, high=2)
WINDOW = Setting(
    "window", 100, "sentences before that tell the second pass about a sentence", low=1, high=1_000_000_000
)
FOLDS = Setting(
    "folds", 5, "models of the first pass, each of which labels what it has not seen; 1: it has", low=1, high=1000
)
# Parameters of estimators that have no effect with one pass.
OF_TWO_PASSES = ("passes", "context", "window", "folds", "first")


@dataclass(frozen=True)
class Passes:
    """How a text is labelled: in one pass, or by a second model that reads the labels of a first."""

    passes: int = 1
    context: str | None = None  # a mode; None: documents if they are marked, otherwise a window
    window: int = int(WINDOW.default)
    folds: int = int(FOLDS.default)
    first: str | None = None  # the recipe of the first pass; None: that of the second

    @classmethod
    def of(cls, estimator: Any) -> Passes:
        number = int(PASSES.parse(estimator.passes))
        if estimator.context is not None and (not isinstance(estimator.context, str) or estimator.context not in MODES):
            raise UnknownNameError.of("context", str(estimator.context), MODES)
        if estimator.first is not None:
            registry.get("recipe", estimator.first)
        window, folds = int(WINDOW.parse(estimator.window)), int(FOLDS.parse(estimator.folds))
        return cls(number, estimator.context, window, folds, estimator.first)


ONE_PASS = Passes()


def check_passes(estimator: Any, passes: Passes, recipe: Recipe) -> None:
    """Refuses two passes if one of them could not be learnt."""
    if passes.passes == 1:
        if passes != ONE_PASS:
            name = next(name for name in OF_TWO_PASSES[1:] if getattr(passes, name) != getattr(ONE_PASS, name))
            raise SettingError(
                f"{name} is {getattr(passes, name)!r}, which is for two passes, but passes is 1.",
                remedy=f"Set passes=2 (--passes 2), or leave out {name}.",
            )
        return
    if estimator.trees:
        raise _refused("heads of the same words elsewhere say nothing of a tree.")
    if passes.context not in (None, "window") and passes.window != ONE_PASS.window:
        raise SettingError(
            f"window is {passes.window}, but context is {passes.context!r}, which knows no window.",
            remedy="Leave out window, or set context='window' (--context window).",
        )
    if recipe.templates is not None:
        raise _refused(f"the recipe {recipe.name!r} has templates of its own, which read no labels of a first pass.")
    for name, what in (
        ("stream", "learns from a part of the data at a time"),
        ("warm_start", "goes on from a model that has seen the data"),
    ):
        if getattr(estimator, name):
            raise _refused(
                f"{name}=True {what}, and the second pass needs labels of models that have not seen the sentence."
            )


def check_one_pass(passes: Passes, what: str) -> None:
    if passes.passes > 1:
        raise _refused(
            f"{what} goes on from a model that has seen the data, and the second pass needs labels of models that have not."
        )


def check_data(data: Corpus, outputs: int) -> None:
    """Refuses data without words, for which there is no context."""
    if data.width <= outputs:
        raise DataError(
            "passes is 2, but the sentences are features already: there are no words to find again elsewhere.",
            remedy="Give words, or leave out passes.",
            file=data.name,
        )


def _refused(reason: str) -> UnsupportedError:
    return UnsupportedError(f"passes is 2, but {reason}", remedy="Leave out passes.")
