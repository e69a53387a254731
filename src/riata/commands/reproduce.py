"""riata reproduce"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command(short_help="A table or figure of a paper, ours beside theirs.")
@click.argument("name")
@click.option("--quick", is_flag=True, help="The corpus that comes with Riata and few epochs: seconds, and no proof.")
@click.option("--final", is_flag=True, help="Train again on all training data and score the test data; kept on record.")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Trainings of every row."
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Trainings at once; never changes a score, but times suffer.",
)
@click.option(
    "--epochs", type=click.IntRange(min=1), metavar="N", help="At most so many, instead of the number of the table."
)
@click.option(
    "--resume",
    "cells_file",
    metavar="FILE",
    help="Keep every training in this file, a JSON line each, and do not repeat those that it has.",
)
@click.option("--plot", "plot_file", metavar="FILE", help="Draw it too: .svg or .png (needs the extra `plots`).")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(**options: Any) -> None:
    """Train a paper's models from scratch, and show ours beside the paper's figures, with a verdict on its claims.

    \b
    riata reproduce laso-table1 --quick
    riata reproduce laso-table1 --seeds 3 --threads 2 --plot table1.svg
    riata reproduce laso-table2 --seeds 3 --resume laso-table2.jsonl

    Models learn from the first nine tenths of CoNLL-2000's training data and are scored on the rest, which chooses the number of epochs
    too. NAME is one of those that `riata pieces` lists. Tables lie in the folder `papers` of Riata's repository, so run it in a clone.
    """
    from riata import registry
    from riata.commands.console import StepsProgress, stderr, stdout
    from riata.errors import UnsupportedError
    from riata.measuring.provenance import find_papers
    from riata.showing.plotting import check

    if not find_papers():
        raise UnsupportedError(
            "the tables of papers do not come with the package.",
            remedy="They lie in the folder `papers` of Riata's repository: run the command in a clone of it.",
        )
    from papers.cells import Cells
    from papers.plot import plot
    from papers.report import as_json, show
    from papers.run import Plan, run, trainings

    reproduction = registry.get("reproduction", options["name"])
    plan = Plan(options["quick"], options["final"], options["seeds"], options["threads"], options["epochs"])
    picture = None if options["plot_file"] is None else Path(options["plot_file"])
    if plan.final and reproduction.sentences is not None:
        raise UnsupportedError(
            f"{reproduction.name} measures training, and has no test data.", remedy="Leave out --final."
        )
    if picture is not None:
        check(picture)
    _check_data(plan.parts(reproduction))
    cells = None if options["cells_file"] is None else Cells.of(Path(options["cells_file"]))
    with StepsProgress(stderr(), reproduction.name, len(trainings(reproduction, plan))) as progress:
        outcome = run(
            reproduction,
            plan,
            lambda step: progress.tell(f"{step.row}, seed {step.seed}: {step.text}", done=step.done),
            cells,
        )
    if options["json_"]:
        click.echo(as_json(outcome))
    else:
        show(outcome, stdout())
    if picture is not None:
        plot(outcome, picture)
    looked = not all(origin.stored for origin in outcome.origins)
    if plan.final and not plan.quick and looked:
        _record(outcome)


def _check_data(parts: tuple[str, tuple[str, ...]]) -> None:
    """parts: the data set, and its parts that are read."""
    from riata import registry
    from riata.errors import DataError

    data, splits = parts
    try:
        for split in splits:
            registry.get("data set", data).path(split)
    except DataError as error:
        raise DataError(
            error.message, remedy=f"Run `riata data fetch {data}`, or use --quick. {error.remedy}"
        ) from None


def _record(outcome: Any) -> None:
    from papers.record import FINAL, record
    from riata.commands.console import stderr

    about = outcome.about
    record(outcome, FINAL)
    made = f"version {about['version']}, commit {about['commit'] or 'not known'}, {about['date']}"
    stderr().print(f"Test data were scored ({made}); on record in {FINAL}", markup=False, soft_wrap=True)
