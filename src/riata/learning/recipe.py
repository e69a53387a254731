"""Recipes: what a learner is called, what it needs from a structure, and its settings."""

from __future__ import annotations

from dataclasses import dataclass

from riata import registry
from riata.errors import UnsupportedError
from riata.inference.structure import Structure
from riata.settings import Setting


@dataclass(frozen=True)
class Recipe:
    """A learner by name. `needs` are operations that the structure must offer."""

    name: str
    summary: str
    paper: str  # key in CITATIONS.bib
    needs: frozenset[str]
    structure: str  # preferred
    queue: str  # preferred
    settings: tuple[Setting, ...]


def chosen(
    recipe_name: str, structure_name: str | None, queue_name: str | None, beam: int | None
) -> tuple[Recipe, Structure]:
    """The recipe and its structure, or the reason why they do not go together."""
    recipe: Recipe = registry.get("recipe", recipe_name)
    structure: Structure = registry.get("structure", structure_name or recipe.structure)
    queue = registry.get("queue", queue_name or recipe.queue)
    missing = sorted(recipe.needs - structure.offers)
    if missing:
        raise UnsupportedError(
            f"Recipe {recipe.name!r} needs {', '.join(missing)}; the structure {structure.name!r} has none."
        )
    if queue.name not in structure.queues:
        raise UnsupportedError(
            f"The structure {structure.name!r} is not searched with the queue {queue.name!r}.",
            remedy=f"Use one of: {', '.join(sorted(structure.queues))}.",
        )
    if beam is not None and not queue.has_beam:
        raise UnsupportedError(
            f"The recipe {recipe.name!r} searches with the queue {queue.name!r}, which has no beam.",
            remedy="Leave the beam out.",
        )
    return recipe, structure
