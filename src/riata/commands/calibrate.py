"""riata calibrate"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from riata.commands.base import format_option
from riata.commands.estimator_options import context_options, documents_option, in_given_context, read_for


@click.command(short_help="Make a model's confidences believable.")
@click.argument("file")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@click.option(
    "--output", "output_file", metavar="FILE", help="Where the calibrated model goes (default: in its place)."
)
@click.option(
    "--method",
    default="temperature",
    show_default=True,
    metavar="NAME",
    help="temperature: one number; isotonic: after it a rising curve, which takes some thousands of predictions.",
)
@click.option("--plot", metavar="FILE", help="Draw confidence against the share that is right, .svg or .png.")
@context_options
@documents_option
@format_option
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(**options: Any) -> None:
    """Fit a model's confidences to FILE, which has gold labels and was not trained on: 90 % of outputs with confidence 0.9 should be right.

    \b
    riata calibrate --model chunker.riata dev.txt
    riata calibrate --model chunker.riata --method isotonic --plot reliability.svg dev.txt
    riata predict --model chunker.riata --confidence --min-confidence 0.9 new.txt

    Shown are the calibration error (ECE, 15 bins of equal mass), the Brier score and the log loss, before and after;
    after is measured on each half of the sentences with the calibration that was fitted to the other. The model predicts as before.
    """
    from riata.commands.console import stderr, stdout
    from riata.commands.own_options import load_sentences
    from riata.confidence.calibration import check_method
    from riata.data.atomic_file import check_target
    from riata.showing.plotting import check

    check_method(options["method"])
    picture = None if options["plot"] is None else Path(options["plot"])
    if picture is not None:
        check(picture)
    target = options["output_file"] or options["model_file"]
    check_target(target, "the model", "Choose another --output.")
    estimator = in_given_context(load_sentences(options["model_file"]), options)
    report = estimator.calibrate(
        estimator.columns.sentences(read_for(estimator, options["file"], options)), method=options["method"]
    )
    estimator.save(target)
    if options["json_"]:
        click.echo(json.dumps(report.to_dict()))
    else:
        stdout().print(report.table())
    if picture is not None:
        report.plot(picture)
    stderr().print(f"{target} is calibrated.", markup=False, soft_wrap=True)
