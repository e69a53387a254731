"""A trained estimator of sequences, as a notebook shows it."""

from __future__ import annotations

from typing import Any

from riata.errors import RiataError
from riata.estimators.facts import facts_of, rows_of
from riata.estimators.model_file import to_bytes
from riata.showing.notebook import page
from riata.showing.table import Table

LONGEST = 300  # characters of a fact
TEMPLATES = 12  # number of templates that are shown


def sequence_facts(estimator: Any) -> str:
    try:
        size = len(to_bytes(estimator))
    except RiataError:  # functions that a file cannot name
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
