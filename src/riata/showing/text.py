"""What a terminal would show, as a text without colours."""

from __future__ import annotations

from io import StringIO
from typing import Any

WIDTH = 120


def as_text(*things: Any, width: int = WIDTH) -> str:
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, width=width, highlight=False, no_color=True)
    for thing in things:
        console.print(thing, markup=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
