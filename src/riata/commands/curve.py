"""riata curve"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from riata.commands import train as training
from riata.commands.estimator_options import read

# Options of `riata train` that make no sense here: there is no model to write, and the test data choose no epoch.
_NOT_HERE = (
    "model_file",
    "dev_file",
    "dev_fraction",
    "patience",
    "refit",
    "seeds",
    "stream",
    "resume",
    "calibrate",
    "json_",
)


@click.command(short_help="Would more data, a wider beam or more epochs help?")
@click.option(
    "--test", "test_file", metavar="FILE", help="What every model is scored on (default: the last tenth of --train)."
)
@click.option(
    "--by",
    type=click.Choice(["size", "beam", "epoch"]),
    default="size",
    show_default=True,
    help="What the curve goes by: the amount of training data, the beam, or the epochs.",
)
@click.option(
    "--sizes",
    metavar="P,P",
    help="By size: fractions of the training data, or numbers of sentences above 1 (default: 0.1,0.2,0.5,1).",
)
@click.option("--beams", metavar="N,N", help="By beam: its widths, such as 1,2,5,10 or inf (default: 1,2,5,10).")
@click.option(
    "--seeds",
    "trainings",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Trainings of every point, with seeds from --seed on; their spread gives the intervals.",
)
@click.option("--plot", "plot_file", metavar="FILE", help="Draw it too: .svg or .png (needs the extra `plots`).")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object instead of a table.")
def command(**options: Any) -> None:
    """Train TASK again and again, with more data, a wider beam or more epochs, and score each model on the same data.

    \b
    riata curve chunk --train train.txt --test test.txt --seeds 3 --plot curve.svg
    riata curve chunk --train train.txt --by beam --recipe laso-alma --beams 1,2,5,10
    riata curve tag --train train.txt --by epoch --epochs 15

    \b
    A curve by size that still rises shows that more data would help; one that is flat while the score on the training
    data stays high asks for other features or less of them. Smaller parts of the data lie within larger ones.

    Scores have 95 % intervals, over seeds or, with one seed, over test sentences or documents.
    The other options are those of `riata train`.
    """
    from riata.analysis.curve import learning_curve
    from riata.commands.console import stderr, stdout
    from riata.showing.plotting import check

    picture = None if options["plot_file"] is None else Path(options["plot_file"])
    if picture is not None:
        check(picture)
    at = _points(options)
    estimator = training.estimator_of(
        {**dict.fromkeys(_NOT_HERE), "seeds": 1, "refit": False, "stream": False, **options}
    )
    train = read(options, options["train_file"])
    test = None if options["test_file"] is None else read(options, options["test_file"])
    with _Progress(stderr(), options) as watch:
        curve = learning_curve(
            estimator,
            train,
            test,
            by=options["by"],
            at=at,
            seeds=options["trainings"],
            listener=watch.note,
            watch=watch.trained,
        )
    if options["json_"]:
        click.echo(json.dumps(curve.to_dict()))
    else:
        stdout().print(curve)
    if picture is not None:
        curve.plot(picture)


command.params += [option for option in training.command.params if option.name not in _NOT_HERE]


def _points(options: dict[str, Any]) -> tuple[float, ...] | None:
    """The points that were asked for; those of another kind of curve are refused."""
    from riata.analysis.beams import beams_of
    from riata.errors import SettingError

    for name, by in (("sizes", "size"), ("beams", "beam")):
        if options[name] is not None and options["by"] != by:
            raise SettingError(
                f"--{name} is for curves by {by}; this one is by {options['by']}.", remedy=f"Add --by {by}."
            )
    if options["by"] == "beam" and options["beam"] is not None:
        raise SettingError("--beam is one width, but the curve is by beam.", remedy="Give the widths as --beams.")
    if options["beams"] is not None:
        return beams_of(options["beams"])
    return None if options["sizes"] is None else _sizes(options["sizes"])


def _sizes(text: str) -> tuple[float, ...]:
    from riata.errors import SettingError

    try:
        sizes = tuple(float(part) for part in text.split(","))
    except ValueError:
        sizes = ()
    if not sizes or not all(0 < size < float("inf") for size in sizes):
        raise SettingError(f"--sizes is {text!r}; expected numbers above 0 between commas, such as 0.1,0.5,1.")
    return sizes


class _Progress:
    """A bar on a terminal, and a line for every training that is done."""

    def __init__(self, console: Any, options: dict[str, Any]) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._console = console
        self._by = options["by"]
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("training", total=None)
        self._done = 0
        self._told: set[str] = set()

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._bar.stop()

    def note(self, event: Any) -> None:
        """Warnings of trainings on all data, each once."""
        from riata.learning.events import Note

        if isinstance(event, Note) and event.warning and event.text not in self._told:
            self._told.add(event.text)
            self._console.print(event.text, markup=False, style="yellow", soft_wrap=True)

    def trained(self, done: Any) -> None:
        text = f"{self._by} {done.at:,.0f}, seed {done.seed}: {done.evaluation.score:.2f}, {done.seconds:.2f} s"
        self._console.print(text, markup=False, soft_wrap=True)
        self._done += 1
        self._bar.update(self._task, description=f"training; {self._done} done")
