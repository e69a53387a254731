"""riata inspect"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


@click.command(short_help="What a model holds.")
@click.argument("model_file", metavar="MODEL")
@click.option(
    "--top", type=click.IntRange(min=0), default=5, show_default=True, metavar="N", help="Features to show per label."
)
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Only this label (may be repeated).")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(model_file: str, top: int, labels: tuple[str, ...], json_: bool) -> None:
    """Show a model's size, labels, settings, training data and heaviest features.

    \b
    riata inspect chunker.riata
    riata inspect chunker.riata --label B-NP --top 20
    """
    from riata import load_model
    from riata.errors import UnknownNameError
    from riata.models.weights_by_name import count, heaviest, label_names, transitions

    estimator = load_model(model_file)
    hashed = bool(estimator.model_.features.bits)
    for label in labels:
        if label not in label_names(estimator.model_):
            raise UnknownNameError.of("label", label, label_names(estimator.model_))
    facts = {
        "task": estimator.task_name,
        "recipe": estimator.recipe,
        "structure": estimator.model_.structure,
        "model_mb": round(Path(model_file).stat().st_size / 1e6, 3),
        "weights": count(estimator.model_),
        "labels": len(estimator.classes_),
        "encoding": estimator.encoding_,
        "learnt_as": None if estimator.learnt_as_ == estimator.encoding_ else estimator.learnt_as_,
        "inputs": list(estimator.inputs_),
        "array_width": estimator.array_width_,
        "templates": [str(template) for template in estimator.model_.features.templates],
        "lists": {name: len(entries) for name, entries in (estimator.lists or {}).items()} or None,
        "settings": {
            k: v
            for k, v in estimator.get_params().items()
            if k != "lists" and isinstance(v, (int, float, str, bool, dict))
        },
        "training": {
            **estimator.facts_,
            "best_epoch": estimator.best_epoch_,
            "best_score": estimator.best_score_,
        },
    }
    # Where features are hashed, to ask for those of a label is an error; otherwise there is still the rest to show.
    shown = None if hashed and not labels else heaviest(estimator.model_, top, labels or None)
    if json_:
        facts["heaviest"] = (
            None
            if shown is None
            else {label: [[w.feature, w.weight] for w in weights] for label, weights in shown.items()}
        )
        click.echo(json.dumps(facts))
        return
    _print(model_file, facts, shown, transitions(estimator.model_, top))


def _print(model_file: str, facts: dict[str, Any], shown: dict[str, Any] | None, edges: Any) -> None:
    from rich.markup import escape
    from rich.table import Table

    from riata.console import stdout

    console = stdout()
    training = facts.pop("training")
    counts = training.pop("label_counts")
    about = Table(title=escape(model_file), title_justify="left", show_header=False)
    for name, value in [*facts.items(), *((f"training: {k}", v) for k, v in training.items())]:
        if value is not None:
            about.add_row(name, escape(_shown(value)))
    console.print(about)
    table = Table(title="heaviest features" if shown is not None else "labels and transitions", title_justify="left")
    for name in ("label", "seen", "weight", "feature"):
        table.add_column(name, justify="right" if name in ("seen", "weight") else "left")
    for label, seen in counts.items() if shown is None else ():
        table.add_row(escape(label), f"{seen:,}", "", "")
    for label, weights in (shown or {}).items():
        for i, weight in enumerate(weights):
            first = (escape(label), f"{counts.get(label, 0):,}") if i == 0 else ("", "")
            table.add_row(*first, f"{weight.weight:+.2f}", escape(weight.feature), end_section=i == len(weights) - 1)
    for weight in edges:
        table.add_row(escape(weight.label), "", f"{weight.weight:+.2f}", "edge")
    console.print(table)
    if facts["learnt_as"] is not None:
        console.print(
            f"These are the {len(counts)} labels that were learnt, in {facts['learnt_as'].upper()}; "
            f"the model answers in {facts['encoding'].upper()}.",
            soft_wrap=True,
        )
    if shown is None:
        console.print(
            "Features are hashed: they have no names, and their weights cannot be told apart.", soft_wrap=True
        )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}={v}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
