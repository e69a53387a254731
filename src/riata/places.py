"""Where public names are defined."""

from __future__ import annotations

import os
import re

_IMPORT = re.compile(r"^from (\S+) import ([^(\n]+|\([^)]+\))$", re.MULTILINE)


def place_of(name: str) -> str | None:
    """The module from which public.py imports a name, as its text says: to import all of it takes a tenth of a second."""
    with open(os.path.join(os.path.dirname(__file__), "public.py"), encoding="utf-8") as file:
        imports = _IMPORT.findall(file.read())
    return next((str(module) for module, names in imports if name in re.findall(r"\w+", names)), None)


def is_imported() -> bool:
    """Whether the name that the caller, a module's __getattr__, is asked for stands in `from riata import name`."""
    import dis
    import sys

    asking = sys._getframe(2)
    return dis.opname[asking.f_code.co_code[asking.f_lasti]] == "IMPORT_FROM"
