"""Estimators as a notebook shows them: parameters before training, facts after it."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from riata.errors import RiataError
from riata.params import Params, short
from riata.showing.notebook import page
from riata.showing.table import Cell, Table

LONGEST = 300  # characters of a fact
TEMPLATES = 12  # shown by name


def parameters(estimator: Params) -> str:
    """Those that are not the defaults stand first."""
    defaults = estimator._defaults()
    given = estimator.changed_params()
    rows: list[tuple[Cell, ...]] = [(name, short(value), _default(defaults[name])) for name, value in given.items()]
    rows += [(name, short(value), "") for name, value in estimator.get_params(deep=False).items() if name not in given]
    title = f"{type(estimator).__name__}, not trained yet"
    return page(Table(title, ("parameter", "value", "default"), rows).to_html())


def _default(value: Any) -> str:
    return "" if value is Parameter.empty else short(value)


def sequence_facts(estimator: Any) -> str:
    from riata.estimators.facts import facts_of, rows_of
    from riata.estimators.model_file import to_bytes

    try:
        size = len(to_bytes(estimator))
    except RiataError:  # functions that no file can name
        size = 0
    facts = facts_of(estimator, size)
    facts["model_mb"] = facts["model_mb"] or None
    names = facts["templates"]
    if len(names) > TEMPLATES:
        facts["templates"] = [*names[:TEMPLATES], f"… {len(names) - TEMPLATES} more"]
    counts = facts["training"]["label_counts"]
    frequent = sorted(counts, key=lambda label: -counts[label])[:TEMPLATES]
    facts["most_frequent_labels"] = [f"{label} {counts[label]:,}" for label in frequent]
    rows = [
        (name.replace("_", " "), text if len(text) <= LONGEST else text[:LONGEST] + "…")
        for name, text in rows_of(facts)
    ]
    return page(Table(f"{type(estimator).__name__}, trained", ("fact", "value"), rows).to_html())


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
