"""riata predict"""

from __future__ import annotations

import sys

import click

from riata.commands.base import format_option


@click.command(short_help="Add a column of predictions to a file.")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@format_option
def command(file: str, model_file: str, format_: str) -> None:
    """Write the input's columns and one more, the prediction, sentence by sentence as they come in.

    \b
    riata predict --model chunker.riata new.txt > labelled.txt
    zcat big.txt.gz | riata predict --model chunker.riata - | head

    The input may have the output column of training or lack it. CoNLL-U goes out as CoNLL-U, with the predicted field replaced.
    """
    from riata import load_model
    from riata.data import columns
    from riata.data.conllu import FIELDS
    from riata.data.files import is_conllu
    from riata.errors import UnsupportedError

    estimator = load_model(model_file)
    conllu = is_conllu(file, format_)
    if conllu and not 0 <= estimator.output_ < len(FIELDS):
        raise UnsupportedError(
            f"{model_file} was not trained on CoNLL-U: there is no field to put its labels in.",
            remedy="Give a file of columns, or --format columns.",
        )
    out = sys.stdout.buffer  # UTF-8 like the input, whatever the terminal has
    for batch in columns.stream(file, conllu=conllu):
        labels = estimator.predict(batch)
        if conllu:
            sentences = columns.formatted(columns.with_texts(batch, estimator.output_, labels))
        else:
            sentences = columns.formatted(batch, [labels])
        out.writelines(sentence.encode("utf-8") for sentence in sentences)
        out.flush()
