"""Results that are shown part by part, in a terminal and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riata.showing.text import as_text


class InParts:
    """str() and a console of rich show what `_parts` gives, one below the other."""

    def _parts(self) -> Sequence[Any]:
        raise TypeError("a base class: use what inherits from it")

    def __str__(self) -> str:
        return as_text(*self._parts())

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from self._parts()
