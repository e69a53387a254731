"""What had to be changed or left out to read JSON lines: counted, and told once."""

from __future__ import annotations

import warnings

from riata.data.json_lines.offsets import Marked, Places
from riata.data.types import Span
from riata.errors import DataError, RiataWarning, shortened


class Problems:
    def __init__(self, name: str, policy: str) -> None:
        """policy: what becomes of spans that begin or end inside a word."""
        self._name, self._policy = name, policy
        self._counts: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def _count(self, what: str, line: int, example: str) -> None:
        self._counts[what] = self._counts.get(what, 0) + 1
        self._first.setdefault(what, f"line {line}: {example}")

    def misaligned(self, line: int, mark: Marked, text: str, places: Places, span: Span) -> bool:
        """A span that begins or ends inside a word; whether it is kept."""
        given = text[mark.start : mark.end]
        around = text[places[span.start][0] : places[span.end - 1][1]]
        if self._policy == "refuse":
            raise DataError(
                f"the span {mark.label!r:.40}, {given!r:.60}, begins or ends inside a word of {around!r:.60}.",
                remedy="Mend its place, choose another tokenizer, or let spans be widened (misaligned='widen', --misaligned widen).",
            )
        kept = self._policy == "widen"
        what = "were widened to whole words" if kept else "were left out"
        self._count(f"spans begin or end inside a word and {what}", line, f"{mark.label!r}, {given!r} in {around!r}")
        return kept

    def overlapping(self, line: int, span: Span) -> None:
        self._count(
            "spans overlap longer ones and were left out", line, f"{span.type!r}, words {span.start} to {span.end - 1}"
        )

    def empty(self, line: int, mark: Marked) -> None:
        self._count("spans contain no word and were left out", line, f"{mark.label!r}, {mark.start} to {mark.end}")

    def unaccepted(self, line: int, answer: str) -> None:
        self._count("objects are not accepted and were left out", line, f"{answer!r}")

    def several(self, line: int) -> None:
        self._count("tasks have several annotations, of which the first was read", line, "the others were left out")

    def left_out(self) -> str:
        """For a message: how many objects were left out."""
        return "".join(f" ({number} {what})" for what, number in self._counts.items() if what.startswith("objects"))

    def tell(self) -> None:
        for what, number in self._counts.items():
            example = self._first[what]
            warnings.warn(
                shortened(f"{self._name}: {number:,} {what} (the first in {example})."), RiataWarning, stacklevel=3
            )
