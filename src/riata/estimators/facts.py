"""Facts about a trained estimator of sequences, in one place for the command line and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riata import __version__, registry
from riata.choosing.recipe import recipe_name
from riata.errors import RiataError
from riata.estimators.constrained import stored_constraints
from riata.estimators.model_file import to_bytes
from riata.models.weights_by_name import by_name
from riata.showing.notebook import page
from riata.showing.table import Table


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
    why = f"none: {estimator.uncalibrated_}" if estimator.uncalibrated_ else "none"
    return f"{why}; the recipe learns probabilities" if estimator.confidence.believable else why


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


MOST = 20  # labels that are listed
PLACE = "*Not stated.* "
USE = """```sh
riata predict --model {file} INPUT > OUTPUT
```

```python
import riata

model = riata.load_model("{file}")
outputs = model.predict(sentences)
```"""


def card(estimator: Any, name: str, size: int, *, use: str = "", data: str = "", score: Any = None) -> str:
    """Markdown. use, data: what the user states about them; score: an Evaluation on other data, with its file."""
    facts = facts_of(estimator, size)
    sections = [
        (f"# {name}", [_summary(estimator, facts)]),
        ("## Intended use", _use(estimator, use)),
        ("## How to use it", [USE.format(file=f"{name}.riata")]),
        ("## Training data", _data(facts["training"], data)),
        ("## Figures", _figures(estimator, facts, score)),
        ("## The model", [_table(("", ""), _model(estimator, facts))]),
        ("## Limits", _limits(estimator, facts)),
    ]
    parts = ["\n\n".join([head, *(line for line in lines if line)]) for head, lines in sections]
    return "\n\n".join(parts) + "\n"


def _summary(estimator: Any, facts: dict[str, Any]) -> str:
    task = registry.get("task", estimator.task_name)
    return f"A model of Riata {__version__} for the task `{task.name}`: {task.summary}. Learnt by the recipe `{facts['recipe']}`."


def _use(estimator: Any, use: str) -> list[str]:
    reads = len(estimator.columns.needed)
    given = "words" if reads == 1 else f"{reads} columns per token" if reads else "features of every token"
    called = estimator.labels.names
    what = f"The model reads {given}, sentence by sentence, and predicts {' and '.join(called)}."
    asked = use or PLACE + "State what it is for, and what it is not for: `riata card --use TEXT`."
    return [asked, what]


def _data(training: dict[str, Any], data: str) -> list[str]:
    counts: dict[str, int] = training["label_counts"]
    listed = sorted(counts.items(), key=lambda row: -row[1])
    rows = [(f"`{label}`", f"{count:,}") for label, count in listed[:MOST]]
    if len(listed) > MOST:
        rows.append((f"and {len(listed) - MOST} more", f"{sum(count for _, count in listed[MOST:]):,}"))
    size = f"`{training['name']}`: {training['sentences']:,} sentences, {training['tokens']:,} tokens."
    asked = (
        data
        or PLACE
        + "State where the data come from, who annotated them and under which licence: `riata card --data TEXT`."
    )
    return [size, asked, _table(("label", "times"), rows)]


def _figures(estimator: Any, facts: dict[str, Any], score: Any) -> list[str]:
    lines = []
    best = facts["training"]["best_score"]
    if best is not None:
        lines.append(f"On development data, after epoch {facts['training']['best_epoch']}: {best:.2f}.")
    if score is not None:
        file, evaluation = score
        lines.append(f"On `{file}`:\n\n```text\n{str(evaluation).rstrip()}\n```")
    if not lines:
        lines.append(PLACE + "Score the model on data that it has not seen: `riata card --evaluate FILE`.")
    if estimator.calibration_:
        said = "calibrated: " + "; ".join(map(str, estimator.calibration_))
    elif estimator.confidence.believable:
        said = "probabilities that the recipe has learnt"
    else:
        said = "not calibrated: do not read them as probabilities"
    return [*lines, f"Confidences are {said}."]


def _model(estimator: Any, facts: dict[str, Any]) -> list[tuple[str, str]]:
    decoder = estimator.predicting.decoder()
    rows = [
        ("structure", facts["structure"]),
        ("search", decoder.queue),
        ("weights", f"{facts['weights']:,}"),
        ("size of the file", f"{facts['model_mb']:.2f} MB"),
        ("labels", f"{facts['labels']:,}"),
        ("encoding of chunks", facts["encoding"] or ""),
        ("passes", str(facts["passes"])),
        ("tags of words", facts["tags"] or ""),
        ("templates", str(len(facts["templates"]) or "")),
        ("parameters", ", ".join(f"`{k}={v}`" for k, v in estimator.changed_params().items() if _is_plain(v))),
        ("constraints", ", ".join(f"`{each}`" for each in facts["constraints"] or [])),
    ]
    return [(name, text) for name, text in rows if text]


def _is_plain(value: object) -> bool:
    return isinstance(value, (int, float, str, bool)) or (isinstance(value, dict) and len(str(value)) < 200)


def _limits(estimator: Any, facts: dict[str, Any]) -> list[str]:
    training = facts["training"]
    rare = [label for label, count in training["label_counts"].items() if count < 10]
    lines = [
        "The model predicts the labels above and no others. "
        "Expect lower scores on languages and kinds of text that are not in the training data."
    ]
    if rare:
        shown = ", ".join(f"`{label}`" for label in rare[:MOST])
        lines.append(f"Labels seen fewer than ten times are hardly learnt: {shown}{' …' if len(rare) > MOST else ''}.")
    return lines


def _table(heads: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in rows]
    return "\n".join(lines)
