"""What calibration did, judged on sentences that it was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riata.confidence.calibration import Calibration
from riata.confidence.reliability import Reliability
from riata.showing.text import as_text

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("", "predictions", "right", "ECE", "Brier", "log loss")


@dataclass(frozen=True)
class Calibrated:
    """Of one output: its calibration, fitted to all sentences, and how reliable confidences were before and after.

    `after` is measured in two halves: each half of the sentences with the calibration that was fitted to the other.
    """

    output: str  # "chunks" or "tags"; of trees "heads" and "relations"
    calibration: Calibration
    before: Reliability
    after: Reliability

    def to_dict(self) -> dict[str, Any]:
        reliability = {"before": self.before.to_dict(), "after": self.after.to_dict()}
        return {"output": self.output, "calibration": self.calibration.to_dict(), **reliability}


@dataclass(frozen=True)
class CalibrationReport:
    """Output by output; str() is a table."""

    method: str
    outputs: tuple[Calibrated, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.method, "outputs": [each.to_dict() for each in self.outputs]}

    def rows(self) -> list[tuple[str, ...]]:
        """As COLUMNS has them."""
        found: list[tuple[str, ...]] = []
        for each in self.outputs:
            for when, judged in (("before", each.before), ("after", each.after)):
                shares = (
                    f"{100 * judged.accuracy:.2f} %",
                    f"{judged.ece:.4f}",
                    f"{judged.brier:.4f}",
                    f"{judged.log_loss:.4f}",
                )
                found.append((f"{each.output}, {when}", f"{judged.number:,}", *shares))
        return found

    def table(self) -> Table:
        from rich.table import Table

        table = Table(title=f"calibrated by {self.method}", title_justify="left")
        for i, name in enumerate(COLUMNS):
            table.add_column(name, justify="right" if i else "left")
        for row in self.rows():
            table.add_row(*row)
        return table

    def __str__(self) -> str:
        return as_text(self.table())

    def plot(self, path: str | Path) -> None:
        """Draws confidence against the share that is right, before and after. Needs the extra `plots`."""
        from riata.confidence.plot import draw

        draw(self, path)
