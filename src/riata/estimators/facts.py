"""Facts about a trained estimator of sequences, in one place for the command line and for notebooks."""

from __future__ import annotations

from typing import Any

from riata.choosing.preference import recipe_name
from riata.estimators.constrained import stored_constraints
from riata.models.weights_by_name import by_name


def facts_of(estimator: Any, size: int) -> dict[str, Any]:
    """Plain data, ready for JSON. size: of the model file, in bytes."""
    return {
        "task": estimator.task_name,
        "recipe": recipe_name(estimator),
        "structure": estimator.model_.structure,
        "model_mb": round(size / 1e6, 3),
        "weights": by_name(estimator.model_).count(),
        "passes": 1 if estimator.first_ is None else 2,
        "first_pass": None
        if estimator.first_ is None
        else {"recipe": recipe_name(estimator.first_), "weights": by_name(estimator.first_.model_).count()},
        "labels": len(estimator.classes_),
        "encoding": estimator.encoding_,
        "learnt_as": None if estimator.learnt_as_ == estimator.encoding_ else estimator.learnt_as_,
        "inputs": list(estimator.inputs_),
        "tags": estimator.columns.tags_read,
        "array_width": estimator.array_width_,
        "templates": [str(template) for template in estimator.model_.features.templates],
        "lists": {name: len(entries) for name, entries in (estimator.lists or {}).items()} or None,
        "vectors": None
        if (vectors := estimator.model_.features.vectors) is None
        else {"words": len(vectors), "width": vectors.width},
        "calibration": "; ".join(map(str, estimator.calibration_)) or _why_uncalibrated(estimator),
        "constraints": stored_constraints(estimator)[0] or None,
        "settings": {
            k: v
            for k, v in estimator.get_params(deep=False).items()
            if k not in ("lists", "vectors", "constraints") and isinstance(v, (int, float, str, bool, dict))
        },
        "training": {
            **estimator.facts_,
            "best_epoch": estimator.best_epoch_,
            "best_score": estimator.best_score_,
        },
    }


def _why_uncalibrated(estimator: Any) -> str:
    if estimator.confidence.believable:
        return "none is needed: the recipe learns probabilities"
    return f"none: {estimator.uncalibrated_}" if estimator.uncalibrated_ else "none"


def shown(value: object) -> str:
    """A fact as people read it."""
    if isinstance(value, dict):
        return ", ".join(f"{k}={v}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def rows_of(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and text of every known fact, except the counts of labels."""
    training = {f"training: {k}": v for k, v in facts["training"].items() if k != "label_counts"}
    flat = {**{k: v for k, v in facts.items() if k != "training"}, **training}
    return [(name, shown(value)) for name, value in flat.items() if value is not None]
