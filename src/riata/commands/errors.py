"""riata errors"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from riata.commands.base import format_option
from riata.commands.estimator_options import context_options, documents_option, format_of, in_given_context, read_for


@click.command(short_help="Where a model goes wrong, and why.")
@click.argument("file")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@click.option(
    "--train", "train_file", metavar="FILE", help="The training data, to tell words that were seen, and how often."
)
@click.option("--beams", metavar="N,N", help="Decode with each of these beams too, such as 1,2,5,10 or inf.")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Sentences to show for each kind of error.",
)
@click.option("--plot", "plot_file", metavar="FILE", help="Draw it too: .svg or .png (needs the extra `plots`).")
@context_options
@documents_option
@format_option
@click.option("--json", "json_", is_flag=True, help="Print one JSON object instead of tables.")
def command(**options: Any) -> None:
    """Sort what a model gets wrong on a FILE with gold labels, so that you see what would help.

    \b
    riata errors --model chunker.riata test.txt
    riata errors --model chunker.riata test.txt --train train.txt --plot errors.svg
    riata errors --model chunker.riata test.txt --beams 1,2,5,10,inf

    \b
    Wrong types ask for features that tell types apart; wrong borders for features of the words around them, or for
    segments. Many errors on unseen words ask for shapes, affixes, lists or more data. Search errors ask for a wider
    beam, model errors do not.

    A span error is a group of missed and wrong spans that overlap each other; each is counted once. "F1 if mended" is the F1 that the
    model would have without the errors of that kind. Without --train, a seen word is one that the model's features know.
    """
    from riata.analysis.beams import beams_of
    from riata.analysis.error_analysis import error_analysis
    from riata.commands.console import stdout
    from riata.commands.own_options import load_sentences
    from riata.data.files import read_file
    from riata.showing.plotting import check

    picture = None if options["plot_file"] is None else Path(options["plot_file"])
    if picture is not None:
        check(picture)
    beams = () if options["beams"] is None else beams_of(options["beams"])
    estimator = in_given_context(load_sentences(options["model_file"]), options)
    train = None if options["train_file"] is None else read_file(options["train_file"], format_of(estimator, options))
    data = estimator.columns.sentences(read_for(estimator, options["file"], options))
    found = error_analysis(estimator, data, train=train, beams=beams, examples=options["examples"])
    if options["json_"]:
        click.echo(json.dumps({"model": options["model_file"], **found.to_dict()}))
    else:
        stdout().print(found)
    if picture is not None:
        found.plot(picture)
