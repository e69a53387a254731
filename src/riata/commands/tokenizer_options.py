"""A tokenizer that the user names on the command line."""

from __future__ import annotations

import sys
from typing import Any


def imported(name: str) -> Any:
    """A function that the user names, MODULE:FUNCTION, from a module that is installed or in the present folder."""
    import importlib

    from riata.errors import SettingError

    module, _, function = name.partition(":")
    sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), function, None) if module and function else None
    except (Exception, SystemExit) as error:  # whatever the user's module raises
        raise SettingError(f"--tokenizer {name}: the module cannot be imported: {error!r:.200}.") from None
    finally:
        sys.path.remove("")
    if not callable(found):
        raise SettingError(
            f"--tokenizer {name}: there is no such function.",
            remedy="Expected MODULE:FUNCTION, such as mytokens:words.",
        )
    return found
