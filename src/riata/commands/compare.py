"""riata compare"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from riata.commands.constraint_options import constraint_options, declared
from riata.commands.estimator_options import (
    data_options,
    dev_fraction_option,
    feature_options,
    of_task,
    parameters,
    read,
    roles,
    search_options,
    task_options,
)

HELD_OUT = 10  # one sentence in so many, of data sets without development data


@click.command(short_help="Several learners on the same data, in one table.")
@click.argument("task")
@click.option("--train", "train_file", metavar="FILE", help="Training data; plain or .gz.")
@click.option("--data", "data_set", metavar="NAME", help="A data set instead; `riata data list` shows them.")
@click.option(
    "--recipes",
    multiple=True,
    required=True,
    metavar="A,B,…",
    help="What to compare: recipes, each with settings after colons, or `all`; may be repeated.",
)
@click.option("--test", "test_file", metavar="FILE", help="Score this file instead of folds of the training data.")
@click.option(
    "--folds",
    type=int,
    default=5,
    show_default=True,
    metavar="K",
    help="Without --test: score each of K parts in turn.",
)
@click.option("--final", is_flag=True, help="With --data: score its test data, and not development data.")
@click.option("--baseline", metavar="NAME", help="Test the others against this one (default: against the best).")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of the folds and of the training.")
@click.option(
    "--seeds", type=int, default=1, show_default=True, metavar="N", help="Train everything N times, from --seed on."
)
@dev_fraction_option
@search_options
@feature_options
@constraint_options
@task_options
@data_options
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Trainings at once; never changes a score, but spoils the times.",
)
@click.option(
    "--work", "work_folder", metavar="DIR", help="Where finished trainings are kept (default: in the user's cache)."
)
@click.option("--fresh", is_flag=True, help="Train all again, whatever was finished before.")
@click.option(
    "--markdown", "markdown_file", metavar="FILE|-", help="Write the table as Markdown; - instead of the table."
)
@click.option("--plot", "plot_file", metavar="FILE", help="Draw quality against time: .svg or .png (extra `plots`).")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object instead of the table.")
def command(**options: Any) -> None:
    """Train several recipes for TASK (tag, chunk, joint, ner, srl, parse) on the same data and score them on the same sentences.

    \b
    riata compare chunk --train train.txt --test test.txt --recipes perceptron,mira,laso-alma
    riata compare chunk --train train.txt --recipes laso-alma:beam=1,laso-alma:beam=25:update=best
    riata compare tag --train train.txt --recipes all --folds 10 --epochs 5 --seeds 3 --plot tag.svg
    riata compare ner --train train.txt --recipes perceptron:inference=after,perceptron:inference=during --constraint 'at_most(1, "PER")'
    riata compare ner --data conll2002-es --recipes plain=perceptron,five=perceptron:seeds=5 --baseline plain

    A recipe may carry parameters of the estimator (structure, queue, beam, epochs, template, learn_as, seeds, …) and its own settings
    (`riata pieces` lists them), each as :KEY=VALUE, and a name before it as NAME=. Options such as --epochs are for all;
    --beam and --set for all that have them. A recipe that does not fit the task is listed with the reason.

    One table: quality with 95 % intervals (bootstrap over sentences, or over documents where
    at least ten are marked); the difference from the best,
    with a paired test and Holm's correction for their number; wrong sentences by fault of the search or of the model; seconds, tokens/s,
    memory, size. Every training runs alone, in a process of its own. What is finished is kept: the same command goes on where it was
    stopped (Ctrl-C, exit 130; or killed).
    """
    from riata import registry
    from riata.commands.console import StepsProgress, stderr
    from riata.comparing.api import outcome
    from riata.comparing.planning import Keys
    from riata.comparing.run import Store
    from riata.data.datasets import cache_folder
    from riata.errors import UnsupportedError

    picture = _check(options)
    plan = _plan(options)
    folder = options["work_folder"]
    keys = Keys(plan)
    store = Store(cache_folder() / "compare" / keys.data if folder is None else Path(folder))
    with StepsProgress(stderr(), "compare", len(plan.cells)) as progress:
        try:
            found = outcome(
                plan,
                lambda text, done: progress.tell(text, done=done),
                baseline=options["baseline"],
                store=store,
                fresh=options["fresh"],
                isolated=True,
                jobs=options["jobs"],
            )
        except KeyboardInterrupt:
            finished = sum(store.get(keys.of(cell)) is not None for cell in plan.cells)
            _tell(f"{finished} of {len(plan.cells)} trainings are done and kept in {store.folder}.")
            _tell("The same command goes on from there.")
            raise
    _show(found, options, store.folder)
    if options["final"] and registry.get("data set", options["data_set"]).folder is None:  # not part of the package
        _record(found, options)
    if found.baseline is None:
        raise UnsupportedError(
            "nothing could be trained, or not the baseline.", remedy="The reasons are printed above."
        )
    if picture is not None:
        found.plot(picture)


def _show(found: Any, options: dict[str, Any], folder: Path) -> None:
    import json

    from riata.commands.console import stdout
    from riata.comparing.show import show
    from riata.data.columns import write

    if options["json_"]:
        click.echo(json.dumps({**found.to_dict(), "work": str(folder)}))
    elif options["markdown_file"] != "-":
        show(found, stdout())
    if options["markdown_file"] is not None:
        write([found.to_markdown().encode()], options["markdown_file"])


def _check(options: dict[str, Any]) -> Path | None:
    """Refuses options that do not go together; where to draw, if anywhere."""
    from riata.data.atomic_file import check_target
    from riata.errors import SettingError, UnsupportedError
    from riata.showing.plotting import check_installed, check_place
    from riata.tasks.base import labelling

    labelling(options["task"])
    if (options["train_file"] is None) == (options["data_set"] is None):
        raise SettingError("give either --train FILE or --data NAME.")
    if options["final"] and (options["data_set"] is None or _given("folds")):
        raise SettingError(
            "--final scores the test data of --data NAME.", remedy="Use it with --data, without --folds."
        )
    if options["test_file"] is not None and (options["data_set"] is not None or _given("folds")):
        raise SettingError(
            "--test names the data to score; --data and --folds do that too.", remedy="Give one of them."
        )
    if options["json_"] and options["markdown_file"] == "-":
        raise SettingError("--json and --markdown - both print to standard output.", remedy="Give --markdown a file.")
    markdown = options["markdown_file"]
    if markdown not in (None, "-"):
        check_target(markdown, "the table", "Choose another --markdown.")
    if options["plot_file"] is None:
        return None
    picture = Path(options["plot_file"])
    check_place(picture)
    try:
        check_installed()
    except UnsupportedError as error:
        _tell(f"There will be no picture: {error.message} {error.remedy}")
        return None
    return picture


def _given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) == ParameterSource.COMMANDLINE


def _plan(options: dict[str, Any]) -> Any:
    from riata import registry
    from riata.commands.console import TrainingProgress, stderr
    from riata.comparing.contestant import Kind, written
    from riata.comparing.planning import planned

    params = parameters(options)
    beam, settings = params.pop("beam"), params.pop("settings")
    params["dev"] = options["dev_fraction"]
    estimator = registry.get("task", options["task"]).estimator
    params |= {"constraints": _constraints(options), "inference": options["inference"]}
    params |= of_task(options, estimator)
    contestants = written(options["recipes"], Kind(estimator, params, settings, beam))
    train, test, scored = _data(options)
    return planned(
        contestants,
        train,
        test=test,
        number_of_folds=options["folds"],
        seeds=options["seeds"],
        seed=options["seed"],
        scored=scored,
        listener=TrainingProgress(stderr()),
    )


def _constraints(options: dict[str, Any]) -> Any:
    """The constraints of all recipes as text, which other processes can read."""
    found = declared(options["constraints"])
    return list(map(repr, found)) if isinstance(found, list) else found


def _data(options: dict[str, Any]) -> tuple[Any, Any, str]:
    """What is learnt from; what is scored, None for folds; and that in words."""
    if options["data_set"] is not None:
        return _data_set(options)
    train = read(options, options["train_file"])
    if options["test_file"] is None:
        return train, None, _folds(options, train, options["train_file"])
    test = read(options, options["test_file"])
    return train, test, f"{options['test_file']}, {len(test):,} sentences"


def _data_set(options: dict[str, Any]) -> tuple[Any, Any, str]:
    from riata import registry
    from riata.data.documents import cut_near

    data = registry.get("data set", options["data_set"])
    train = _split(options, data, "train")
    if _given("folds"):
        return train, None, _folds(options, train, data.name)
    split = data.test if options["final"] else data.dev
    if split is not None:
        test = _split(options, data, split)
        return train, test, f"{data.name} {split}, {len(test):,} sentences"
    first = cut_near(train, len(train) - max(len(train) // HELD_OUT, 1)).first
    return train[:first], train[first:], f"the last {len(train) - first:,} sentences of {data.name} train"


def _folds(options: dict[str, Any], train: Any, name: str) -> str:
    from riata.comparing.planning import deals_documents

    whole = " in whole documents" * deals_documents(train.document, options["folds"])
    dealt = f"{len(train):,} sentences dealt{whole} at random with seed {options['seed']}"
    return f"{options['folds']} folds of {name}, {dealt}"


def _split(options: dict[str, Any], data: Any, split: str) -> Any:
    from riata import registry
    from riata.data.datasets import load
    from riata.data.files import read_roles
    from riata.errors import UnsupportedError

    if options["inputs"] is not None or options["outputs"] is not None:
        chosen = {**roles(options), "format": "conllu" if data.conllu else "columns"}
        return read_roles(data.path(split), **chosen)
    task = registry.get("task", options["task"])
    columns = data.columns if data.format is not None else data.columns_for(task.outputs)
    if data.format != task.estimator.file_format:
        columns = None
    if columns is None:
        raise UnsupportedError(
            f"the data set {data.name!r} has no column for the task {options['task']!r}; it has {', '.join(data.columns)}.",
            remedy="Name columns with --inputs and --outputs, or use another data set.",
        )
    return load(data.name, split, columns)


def _record(found: Any, options: dict[str, Any]) -> None:
    """Every look at the test data of a data set is on record, as those of `riata reproduce` are."""
    from riata.measuring import provenance as log

    lines = [
        {
            **found.about,
            "question": f"compare {options['task']}",
            "contestant": row.name,
            "data": f"{options['data_set']} test",
            "metrics": dict(row.quality.metrics),
        }
        for row in found.rows
        if row.quality is not None
    ]
    path = log.place()
    log.append(lines, path)
    _tell(f"Test data were scored; on record in {path}")


def _tell(text: str) -> None:
    from riata.commands.console import stderr

    stderr().print(text, markup=False, soft_wrap=True)
