"""riata compare-models"""

from __future__ import annotations

import json
from typing import Any

import click

from riata.commands.base import format_option
from riata.commands.estimator_options import context_options, documents_option, in_given_context, read_for


@click.command(short_help="What changes from one model to another.")
@click.argument("model_a", metavar="A")
@click.argument("model_b", metavar="B")
@click.argument("file")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="Sentences to show that B has better, and as many that it has worse.",
)
@documents_option
@context_options
@format_option
@click.option("--json", "json_", is_flag=True, help="Print one JSON object instead of tables.")
def command(model_a: str, model_b: str, file: str, examples: int, json_: bool, **columns: Any) -> None:
    """Compare the models A and B on a FILE with gold labels: which is better, where, and how.

    \b
    riata compare-models old.riata new.riata test.txt
    riata compare-models chain.riata segments.riata test.txt --examples 10
    riata compare-models old.riata new.riata test.txt --json > changes.json

    Fixed is what A had wrong and B has right, broken the reverse; what both have wrong may be wrong alike or differently. The models may
    differ in everything but the task: recipe, structure, features, encoding, input columns. In examples,
    * marks what is not in the gold labels, and in the gold labels what a model missed.
    --context and --window are for models of two passes; a model of one pass beside it reads sentences alone.
    """
    from riata.analysis.comparison import compare_models
    from riata.commands.console import stdout
    from riata.commands.own_options import load_sentences

    a, b = load_sentences(model_a), load_sentences(model_b)
    passes = [getattr(model, "first_", None) is not None for model in (a, b)]
    a = in_given_context(a, columns) if passes[0] or not passes[1] else a
    b = in_given_context(b, columns) if passes[1] else b
    found = compare_models(a, b, read_for(a, file, columns), examples=examples)
    if json_:
        click.echo(json.dumps({"a": model_a, "b": model_b, **found.to_dict()}))
        return
    console = stdout()
    console.print(f"A: {model_a}\nB: {model_b}", markup=False, soft_wrap=True)
    console.print(found)
