"""The card of a model: what it is for, what it learnt from and how good it is, as far as its file stores it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riata import __version__, registry
from riata.estimators.facts import facts_of

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
