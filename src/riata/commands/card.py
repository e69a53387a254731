"""riata card"""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="A model card: data, figures, use.")
@click.argument("model_file", metavar="MODEL")
@click.option("--use", metavar="TEXT", default="", help="What the model is for, and what it is not for.")
@click.option("--data", metavar="TEXT", default="", help="Where the training data come from, and their licence.")
@click.option("--evaluate", "file", metavar="FILE", help="Score the model on this file, and add the figures.")
@click.option("--output", metavar="OUT", help="Write the card to a file instead of printing it.")
def command(model_file: str, use: str, data: str, file: str | None, output: str | None) -> None:
    """Print a model card in Markdown, from what the model file stores: its task, training data, figures, parameters and limits.

    \b
    riata card chunker.riata > MODEL_CARD.md
    riata card chunker.riata --evaluate test.txt --use "Chunks of English news, for search. Not for other languages."

    What a file cannot know has a place to be filled in.
    """
    from riata.data.atomic_file import check_target
    from riata.errors import DataError, UnsupportedError
    from riata.estimators.facts import card
    from riata.estimators.model_file import load_model

    if output is not None:
        check_target(output, "the card", "Choose another --output.")
    estimator = load_model(model_file)
    if not hasattr(estimator, "facts_") or hasattr(type(estimator), "own_files"):
        raise UnsupportedError(
            "Cards are for models that label sentences or build trees; riata inspect shows this one.", file=model_file
        )
    score = None
    if file is not None:
        from riata.data.files import AUTO, read_file

        score = file, estimator.evaluate(read_file(file, estimator.file_format or AUTO, estimator.format_))
    path = Path(model_file)
    text = card(estimator, path.name.removesuffix(".riata"), path.stat().st_size, use=use, data=data, score=score)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"the card cannot be written: {error.strerror}.", file=output) from None
