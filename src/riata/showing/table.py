"""A table that shows itself in a terminal and in a notebook."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Any

Cell = str | int | float | None


class SignedNumber(float):
    """A difference: it is shown with its sign."""


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""
    total: tuple[Cell, ...] | None = None  # set off, below the rows

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.markup import escape as plain
        from rich.table import Table as Drawn
        from rich.text import Text

        drawn = Drawn()
        for i, name in enumerate(self.columns):
            drawn.add_column(plain(name), justify="right" if self._is_number(i) else "left")
        for row in self.rows:
            drawn.add_row(*(plain(text_of(cell)) for cell in row))
        if self.total is not None:
            drawn.add_section()
            drawn.add_row(*(plain(text_of(cell)) for cell in self.total), style="bold")
        # Rich would wrap its own titles and captions to the width of the table.
        title = [Text(self.title, style="table.title")] if self.title else []
        return Group(*title, drawn, *([Text(self.note, style="table.caption")] if self.note else []))

    def to_html(self) -> str:
        sides = [' class="n"' if self._is_number(i) else "" for i in range(len(self.columns))]
        head = "".join(f"<th{side}>{escape(name)}</th>" for side, name in zip(sides, self.columns, strict=True))
        shown = [*(("", row) for row in self.rows), *([(' class="t"', self.total)] if self.total is not None else [])]
        body = "".join(f"<tr{kind}>{_cells(row, sides)}</tr>" for kind, row in shown)
        note = f"<p>{escape(self.note)}</p>".replace("\n", "<br>") if self.note else ""
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def _is_number(self, column: int) -> bool:
        """What stands there is numbers; a cell may be empty."""
        cells = [row[column] for row in self.rows]
        return all(not isinstance(cell, str) or not cell for cell in cells) and any(cell != "" for cell in cells)


def _cells(row: Sequence[Cell], sides: Sequence[str]) -> str:
    return "".join(f"<td{side}>{escape(text_of(cell))}</td>" for side, cell in zip(sides, row, strict=True))


def text_of(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, SignedNumber):
        return f"{cell:+.2f}"
    if isinstance(cell, float):
        return f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


WIDTH = 120


def as_text(*things: Any, width: int = WIDTH) -> str:
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, width=width, highlight=False, no_color=True)
    for thing in things:
        console.print(thing, markup=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}  # controls, half pairs, separators of lines and paragraphs
_DIRECTION = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}


def visible(value: object) -> str:
    """str(value) in characters that only stand for themselves: ESC as ␛, U+2028 as <U+2028>."""
    return "".join(map(_visible, str(value)))


def _visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code in _DIRECTION or unicodedata.category(char) in _HIDDEN:
        return f"<U+{code:04X}>"
    return char


class InParts:
    """str() and a console of rich show what `_parts` gives, one below the other."""

    def _parts(self) -> Sequence[Any]:
        raise TypeError("a base class: use what inherits from it")

    def __str__(self) -> str:
        return as_text(*self._parts())

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from self._parts()
