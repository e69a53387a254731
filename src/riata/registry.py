"""Every piece by name: a piece is a file in the folder of its kind, found by listing the folder.

The file's stem is the piece's name (`_` in files for `-` in names). `KINDS` says which folder holds which kind and what
a file of it must define; nothing else lists pieces.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType
from typing import Any

from riata.errors import UnknownNameError

KINDS: dict[str, tuple[str, str]] = {
    "task": ("riata.tasks", "TASK"),
    "structure": ("riata.structures", "STRUCTURE"),
    "queue": ("riata.inference.queues", "QUEUE"),
    "recipe": ("riata.learning.recipes", "RECIPE"),
    "loss": ("riata.inference.losses", "LOSS"),
    "constraint": ("riata.inference.constraints", "CONSTRAINT"),
    "encoding": ("riata.data.encodings", "ENCODING"),
    "format": ("riata.data.formats", "FORMAT"),
    "data set": ("riata.data.sets", "DATASET"),
    "model format": ("riata.importing.formats", "FORMAT"),
}

# The files of a structure's folder, and what each must define.
OF_STRUCTURES: dict[str, tuple[str, str]] = {
    "structure": ("structure", "STRUCTURE"),
    "language": ("structure", "LANGUAGE"),
    "outputs": ("model", "OUTPUTS"),
    "weights by name": ("names", "NAMES"),
    "learnt": ("learning", "LEARNING"),
    "traced": ("explaining", "TRACED"),
}


@cache
def names(kind: str) -> tuple[str, ...]:
    """The names of all pieces of a kind, sorted. Imports none of them but the folder."""
    import pkgutil

    package = importlib.import_module(KINDS[kind][0])
    stems = (module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(stem.replace("_", "-") for stem in stems if stem != "base"))


def get(kind: str, name: str) -> Any:
    """A piece by name; UnknownNameError with the nearest names where there is none."""
    if name not in names(kind):
        others = [other for other in KINDS if other != kind and name in names(other)]
        also = f"{name!r} is a {others[0]}. " if others else ""
        raise UnknownNameError.of(kind, name, names(kind), remedy=f"{also}`riata pieces` shows all of them.")
    return _piece(kind, name)


def summary(kind: str, name: str) -> str:
    """What a piece is, in one line: its own words, or the first line of its file."""
    return str(getattr(get(kind, name), "summary", None) or (_module(kind, name).__doc__ or "").partition("\n")[0])


@cache
def _piece(kind: str, name: str) -> Any:
    return getattr(_module(kind, name), (KINDS | OF_STRUCTURES)[kind][1])


def _module(kind: str, name: str) -> ModuleType:
    stem = name.replace("-", "_")
    if kind in OF_STRUCTURES:
        return importlib.import_module(f"{KINDS['structure'][0]}.{stem}.{OF_STRUCTURES[kind][0]}")
    return importlib.import_module(f"{KINDS[kind][0]}.{stem}")


def of_structure(part: str, name: str) -> Any:
    """What the structure of this name has in a file of its folder."""
    return _piece(part, name)


def all_of(kind: str) -> dict[str, Any]:
    return {name: get(kind, name) for name in names(kind)}


def qualified_name(function: Any) -> str:
    """The name of a user's function or class with its module; for an object, that of its class. Model files store it."""
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
