"""What can be looked at as a page: traces and explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Paged:
    def to_html(self: Any) -> str:
        """A page of HTML that shows it and loads no other files."""
        from riata.explaining.page import page

        return page(self)

    def save_html(self, path: str | Path) -> None:
        """Writes the page to a file, completely or not at all."""
        from riata.explaining.page import save

        save(self.to_html(), path)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from riata.explaining.page import framed

        return framed(self.to_html())
