"""Every look at test data is on record: a line per row, with the commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from papers.run import Outcome
from riata.measuring.provenance import append

CLONE = Path(__file__).parents[1]
FINAL = CLONE / "benchmarks" / "results" / "final.jsonl"


def lines(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {
            **outcome.about,
            "question": f"reproduce {outcome.reproduction.name}",
            "contestant": row,
            "data": f"{outcome.plan.data(outcome.reproduction)} {outcome.reproduction.task.test}",
            "metrics": {key: figure.mean for key, figure in figures.items()},
            "values": {key: figure.values for key, figure in figures.items()},
        }
        for row, figures in outcome.measured.items()
    ]


def record(outcome: Outcome, path: Path) -> None:
    append(lines(outcome), path)
