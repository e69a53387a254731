"""Tables that are printed whole: wider than 80 characters where no terminal would break their lines."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table


def width_of(table: Table) -> int:
    """How many characters its lines have."""
    return Console(width=10_000).measure(table).maximum


def print_whole(table: Table, console: Console) -> None:
    """Prints a table, in a file or a pipe as wide as it is."""
    if console.is_terminal:
        console.print(table)
    else:
        Console(file=console.file, width=max(width_of(table), console.width), highlight=False).print(table)
