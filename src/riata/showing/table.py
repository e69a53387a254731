"""A table that shows itself in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

Cell = str | int | float | None


class Change(float):
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
    if isinstance(cell, Change):
        return f"{cell:+.2f}"
    if isinstance(cell, float):
        return f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
