"""What calibration did, judged on sentences that it was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riata.confidence.calibration import Calibration
from riata.confidence.reliability import Reliability

COLUMNS = ("", "predictions", "right", "ECE", "Brier", "log loss")


@dataclass(frozen=True)
class Calibrated:
    """Of one output: its calibration, fitted to all sentences, and how reliable confidences were before and after.

    `after` is measured in two halves: each half of the sentences with the calibration that was fitted to the other.
    """

    output: str  # "chunks" or "tags"
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

    def __str__(self) -> str:
        table = [COLUMNS, *self.rows()]
        widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
        lines = [
            "  ".join(
                text.ljust(width) if i == 0 else text.rjust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in table
        ]
        return "\n".join(line.rstrip() for line in lines)

    def plot(self, path: str | Path) -> None:
        """Draws confidence against the share that is right, before and after. Needs the extra `plots`."""
        from riata.confidence.plot import draw

        draw(self, path)
