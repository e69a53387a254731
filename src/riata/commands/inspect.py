"""riata inspect"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


@click.command(short_help="What a model contains.")
@click.argument("model_file", metavar="MODEL")
@click.option(
    "--top", type=click.IntRange(min=0), default=5, show_default=True, metavar="N", help="Features to show per label."
)
@click.option(
    "--label", "names", multiple=True, metavar="LABEL", help="Only this label, or this chunk type (may be repeated)."
)
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(model_file: str, top: int, names: tuple[str, ...], json_: bool) -> None:
    """Show a model's size, labels, settings, training data and heaviest features.

    \b
    riata inspect chunker.riata
    riata inspect chunker.riata --label B-NP --top 20
    riata inspect chunker.riata --label NP

    Weights belong to labels or, where whole segments are searched, to types. With --label, of edges those that lead to or from
    the label are shown.
    """
    from riata.errors import UnknownNameError
    from riata.estimators.facts import facts_of
    from riata.estimators.model_file import load_model
    from riata.models.weights_by_name import by_name

    estimator = load_model(model_file)
    if hasattr(type(estimator), "own_files"):
        from riata.commands.own_options import inspect

        inspect(estimator, model_file, top, json_)
        return
    named = by_name(estimator.model_)
    hashed = bool(estimator.model_.features.bits)
    labels: list[str] = []
    for name in names:
        called = named.labels_called(name, chunks=estimator.chunks)
        if not called:
            raise UnknownNameError.of("label", name, named.label_names())
        labels += [label for label in called if label not in labels]
    facts = facts_of(estimator, Path(model_file).stat().st_size)
    # Where features are hashed, to ask for those of a label is an error; otherwise there is still the rest to show.
    shown = None if hashed and not labels else named.heaviest(top, labels or None)
    pairs = named.transitions(top, labels or None)
    with_words = named.edges(top, labels or None)
    if json_:
        facts.update(transitions=[[pair.label, pair.weight] for pair in pairs])
        facts["edges"] = [[pair.feature, pair.label, pair.weight] for pair in with_words]
        facts["heaviest"] = (
            None
            if shown is None
            else {label: [[w.feature, w.weight] for w in weights] for label, weights in shown.items()}
        )
        click.echo(json.dumps(facts))
        return
    counts = facts["training"]["label_counts"]
    seen = {label: named.times_seen(label, counts) for label in (counts if shown is None else shown)}
    _print(model_file, facts, shown, [*pairs, *with_words], seen)


def _print(
    model_file: str, facts: dict[str, Any], shown: dict[str, Any] | None, pairs: Any, seen: dict[str, int]
) -> None:
    from rich.markup import escape
    from rich.table import Table

    from riata.commands.console import stdout
    from riata.estimators.facts import rows_of

    console = stdout()
    about = Table(title=escape(model_file), title_justify="left", show_header=False)
    for name, text in rows_of(facts):
        about.add_row(name, escape(text))
    console.print(about)
    table = Table(title="heaviest features" if shown is not None else "labels and transitions", title_justify="left")
    for name in ("label", "seen", "weight", "feature"):
        table.add_column(name, justify="right" if name in ("seen", "weight") else "left")
    for label, times in seen.items() if shown is None else ():
        table.add_row(escape(label), f"{times:,}", "", "")
    for label, weights in (shown or {}).items():
        for i, weight in enumerate(weights):
            first = (escape(label), f"{seen[label]:,}") if i == 0 else ("", "")
            table.add_row(*first, f"{weight.weight:+.2f}", escape(weight.feature), end_section=i == len(weights) - 1)
    for weight in pairs:
        table.add_row(escape(weight.label), "", f"{weight.weight:+.2f}", escape(weight.feature))
    console.print(table)
    if facts["learnt_as"] is not None:
        console.print(
            f"These are the {len(facts['training']['label_counts'])} labels that were learnt, in {facts['learnt_as'].upper()}; "
            f"the model answers in {facts['encoding'].upper()}.",
            soft_wrap=True,
        )
    if shown is None:
        console.print(
            "Features are hashed: they have no names, and their weights cannot be told apart.", soft_wrap=True
        )
