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

    def __rich__(self) -> Any:
        from rich.markup import escape as plain
        from rich.table import Table as Drawn

        drawn = Drawn(title=plain(self.title), title_justify="left", caption=plain(self.note), caption_justify="left")
        for i, name in enumerate(self.columns):
            drawn.add_column(plain(name), justify="right" if self._is_number(i) else "left")
        for row in self.rows:
            drawn.add_row(*(plain(text_of(cell)) for cell in row))
        return drawn

    def to_html(self) -> str:
        sides = [' class="n"' if self._is_number(i) else "" for i in range(len(self.columns))]
        head = "".join(f"<th{side}>{escape(name)}</th>" for side, name in zip(sides, self.columns, strict=True))
        rows = [
            "".join(f"<td{side}>{escape(text_of(cell))}</td>" for side, cell in zip(sides, row, strict=True))
            for row in self.rows
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def _is_number(self, column: int) -> bool:
        return all(not isinstance(row[column], str) for row in self.rows)


def text_of(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, Change):
        return f"{cell:+.2f}"
    if isinstance(cell, float):
        return f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
