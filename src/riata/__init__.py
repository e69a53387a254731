"""Structured prediction as learning to search."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    from riata.public import *  # noqa: F403  # for type checkers, the names of riata/public.py

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Public names and submodules are imported when first used, so that `import riata` takes no time."""
    from importlib import import_module, util

    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'riata' has no attribute {name!r}")
    if util.find_spec(f"riata.{name}") is not None:
        return import_module(f"riata.{name}")
    from riata.places import is_imported, place_of

    place = place_of(name)
    if place is not None:
        value = getattr(import_module(place), name)
    elif name == "__all__":
        value = import_module("riata.public").__all__
    else:
        from riata.other_words import meant

        hint = "".join(f"; use riata.{here}" for here in meant("public name", name))
        message = f"module 'riata' has no attribute {name!r}{hint}"
        if hint and is_imported():
            raise ImportError(message, name="riata")  # Python replaces the text of an AttributeError
        raise AttributeError(message)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from importlib import import_module

    return sorted([*import_module("riata.public").__all__, "__version__"])
