"""Which recipe and which structure are meant where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riata import registry
from riata.features.templates import SEGMENT_ROLES, builtin_names, read_source

CHAIN, SEGMENTS, JOINT = "chain", "segments", "joint"
LANGUAGES = {
    "template": CHAIN,
    "segments": SEGMENTS,
    "joint": JOINT,
}  # how files of templates end, and what these are for


def recipe_name(estimator: Any) -> str:
    """The recipe of an estimator; where none is named, the one that its task prefers on the structure that is meant."""
    if estimator.recipe is not None:
        return str(estimator.recipe)
    named = estimator.structure or estimator.own_structure or _read_by(estimator)
    by_structure: dict[str, str] = estimator.default_recipes
    return by_structure.get(named or CHAIN, by_structure[CHAIN])


def _read_by(estimator: Any) -> str | None:
    """The structure that the template is for, where one is given."""
    return None if estimator.template is None else _language(estimator.template)


def preferred(estimator: Any, *, goes_on: bool) -> str | None:
    """The task's own; that of the model where there is one to go on with; what the template is for; or what the task is best searched as.

    None: whatever the recipe prefers.
    """
    if estimator.own_structure is not None:
        return str(estimator.own_structure)
    model = getattr(estimator, "model_", None)
    if goes_on and model is not None:
        return str(model.structure)
    read_by = _read_by(estimator)
    if read_by is not None:
        return read_by
    searches = registry.get("recipe", recipe_name(estimator)).searches
    return estimator.search_structure if searches else None


def _language(template: Any) -> str | None:
    """The structure that a template is for. None: it is the name of a set for either, or nothing that could be read."""
    from riata.features.segments import SegmentTemplate

    if not isinstance(template, (str, Path)):
        return SEGMENTS if any(isinstance(one, SegmentTemplate) for one in template) else CHAIN
    known = [structure for kind, structure in LANGUAGES.items() if str(template) in builtin_names(kind)]
    if known:
        return known[0] if len(known) == 1 else None
    if not Path(template).is_file():
        return None  # refused when it is read
    lines = (line.split("#", 1)[0].split() for line in read_source(template, "template").splitlines())
    return SEGMENTS if any(part in SEGMENT_ROLES for parts in lines for part in parts) else CHAIN
