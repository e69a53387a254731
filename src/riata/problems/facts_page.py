"""A trained Predictor, as a notebook shows it."""

from __future__ import annotations

from typing import Any

from riata.params import short
from riata.showing.notebook import page
from riata.showing.table import Cell, Table


def predictor_facts(predictor: Any) -> str:
    facts = {
        "problem": type(predictor.problem).__name__,
        "recipe": predictor.recipe,
        "beam": predictor.beam,
        "weights": len(predictor.weights()),
        **{f"training: {name}": value for name, value in getattr(predictor, "facts_", {}).items()},
    }
    rows: list[tuple[Cell, ...]] = [
        (name, short(value) if not isinstance(value, (int, str)) else str(value)) for name, value in facts.items()
    ]
    return page(Table("Predictor, trained", ("fact", "value"), rows).to_html())
