"""Which recipe and which structure are used if none is named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.features.language import language_of
from riata.features.named_sets import read_source

if TYPE_CHECKING:
    from collections.abc import Sequence


def recipe_name(estimator: Any) -> str:
    """The recipe of an estimator; if none is named, the one that its task prefers for the structure."""
    if estimator.recipe is not None:
        return str(estimator.recipe)
    named = estimator.structure or estimator.own_structure or _read_by(estimator)
    return recipes_by_structure(estimator).get(named or "", str(estimator.default_recipe))


def recipes_by_structure(estimator: Any) -> dict[str, str]:
    """The recipe that the task of an estimator prefers on each structure."""
    return {name: registry.get("structure", name).recipe for name in giving(gives(estimator))}


def gives(estimator: Any) -> tuple[int, bool]:
    """What the task of an estimator predicts, as Structure.gives says it."""
    return estimator.outputs, estimator.trees


def giving(outputs: tuple[int, bool]) -> list[str]:
    """The structures that give these outputs."""
    return [name for name, structure in registry.all_of("structure").items() if structure.gives == outputs]


def _read_by(estimator: Any) -> str | None:
    """The structure that the template is written for, if a template is given."""
    return None if estimator.template is None else _language(estimator.template, giving(gives(estimator)))


def preferred(estimator: Any, *, goes_on: bool) -> str | None:
    """The preferred structure: of the task; of the model to continue from, if there is one; of the template; or the best one for the task's
    search.

    None: the one that the recipe prefers.
    """
    if estimator.own_structure is not None:
        return str(estimator.own_structure)
    model = getattr(estimator, "model_", None)
    if goes_on and model is not None:
        return str(model.structure)
    recipe, read_by = registry.get("recipe", recipe_name(estimator)), _read_by(estimator)
    if read_by is not None and recipe.needs <= registry.get("structure", read_by).offers:
        return read_by
    preferred_one: str | None = estimator.search_structure if recipe.searches else estimator.exact_structure
    return preferred_one


def _language(template: Any, structures: Sequence[str]) -> str | None:
    """Which of these structures a template is written for. None: it names a set for several structures, or cannot be read."""
    languages = {name: language_of(name) for name in structures if not language_of(name).borrowed}
    plain = next((name for name, language in languages.items() if not language.signs), None)
    if not isinstance(template, (str, os.PathLike)):
        kinds = {type(one) for one in template}
        return next((name for name in languages if name != plain and languages[name].template in kinds), plain)
    source = str(template)
    known = [name for name, language in languages.items() if language.has_set(source)]
    if known:
        return known[0] if len(known) == 1 else None
    if not os.path.isfile(source):
        return None  # it is refused later, when it is read
    lines = read_source(source, "template").splitlines()
    parts = {part for line in lines for part in line.split("#", 1)[0].split()}
    return next((name for name, language in languages.items() if language.signs & parts), plain)
