"""The parameters constraints and inference: which constraints outputs keep, and whether training keeps them too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from riata.choosing.recipe import Choice
from riata.errors import SettingError, UnsupportedError, printed
from riata.inference.structure import OPERATIONS, SPACE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from riata.inference.declared import Declared

K_BEST = "k best"
NONE, AFTER, DURING = "none", "after", "during"  # values of the parameter inference


class ChosenConstraints(NamedTuple):
    """declared: the constraints that decoding keeps; None: none. during: whether learning keeps them too."""

    declared: Declared | None = None
    during: bool = False
    slots: Any = None  # gives the slots of sentences


UNCONSTRAINED = ChosenConstraints()


def constrained(estimator: Any, choice: Choice, settings: Mapping[str, Any], *, training: bool) -> ChosenConstraints:
    """From the parameters of an estimator; or the reason why they do not go together."""
    given, inference = estimator.declared_constraints(), estimator.inference
    if inference not in (NONE, AFTER, DURING):
        raise SettingError(f"inference is {printed(inference)}; expected {NONE!r}, {AFTER!r} or {DURING!r}.")
    if given is None:
        if training and inference == DURING:
            raise SettingError(f"inference is {DURING!r}, but there are no constraints.", remedy="Leave it out.")
        return UNCONSTRAINED
    from riata.inference.declared import Declared

    declared = Declared(given)
    structure = choice.structure
    if SPACE not in structure.offers and K_BEST not in structure.offers:
        instead = choice.offered.instead("structure", lambda piece: SPACE in piece.offers)
        raise UnsupportedError(
            f"constraints need {SPACE} ({OPERATIONS[SPACE]}); the structure {structure.name!r} has none.",
            remedy=f"Leave out constraints{instead}.",
        )
    if inference == NONE or not len(declared):
        return UNCONSTRAINED
    if training and inference == DURING:
        _check_during(estimator, choice, settings)
    return ChosenConstraints(declared, inference == DURING, estimator.columns.slots_of)


def _check_during(estimator: Any, choice: Choice, settings: Mapping[str, Any]) -> None:
    """Refuses what learning under constraints cannot do."""
    recipe = choice.recipe
    if SPACE not in choice.structure.offers:
        raise UnsupportedError(
            f"inference is {DURING!r}, which needs {SPACE} ({OPERATIONS[SPACE]}); the structure {choice.structure.name!r} has none.",
            remedy=f"Use inference={AFTER!r}.",
        )
    if not recipe.constrained:
        raise UnsupportedError(
            f"inference is {DURING!r}, but the recipe {recipe.name!r} learns from more than the best output.",
            remedy=f"Use inference={AFTER!r}, or a recipe that searches, such as perceptron or laso-perceptron.",
        )
    for name, neutral in (("shards", 1), ("stream", False)):
        if getattr(estimator, name) != neutral:
            raise UnsupportedError(
                f"inference is {DURING!r}, which learns from all data at once; {name} is {getattr(estimator, name)!r}.",
                remedy=f"Leave out {name}, or use inference={AFTER!r}.",
            )
    for name, value in (("step", "alma"), ("update", "lattice")):
        if choice.queue == "exact" and settings.get(name) == value:
            raise UnsupportedError(
                f"inference is {DURING!r}, and {name}={value} needs more than the best output that keeps the constraints.",
                remedy=f"Use a beam, or inference={AFTER!r}.",
            )
