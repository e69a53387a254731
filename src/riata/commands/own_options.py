"""Tasks whose data are neither sentences with labels nor trees: how their estimators are made of options, and what commands ask of them.

`riata.estimators.own_files` says which methods they have.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

OTHER_NAMES = {"assignments": "settings"}
READING = (
    "task",
    "train_file",
    "model_file",
    "json_",
    "inputs",
    "outputs",
    "format_",
    "documents",
    "file",
    "text",
)  # options that are no parameters


def _typed(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Those of these parameters that are on the command line, each with its option as users write it."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            yield name, next(each.opts[0] for each in context.command.params if each.name == name)


def asked_of(cls: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options on the command line as parameters of the class; others are refused."""
    from riata.commands.estimator_options import pairs
    from riata.errors import SettingError

    made = {}
    for name, option in _typed(name for name in options if name not in READING):
        param, value = OTHER_NAMES.get(name, name), options[name]
        if param not in cls._param_names():
            raise SettingError(f"{option} is not for the task {cls.task_name!r}.", remedy=f"Leave out {option}.")
        made[param] = pairs("--set", value, "key=value") if param == "settings" else value
    return made


def check_plain(cls: Any, names: Iterable[str]) -> None:
    """Refuses options of riata predict that mean nothing here."""
    from riata.errors import UnsupportedError

    for _, option in _typed(names):
        raise UnsupportedError(
            f"{option} is for models that label sentences; this is a {cls.__name__}.",
            remedy=f"Leave out {option}; in Python, {cls.__name__}.predict_nbest gives lists with scores.",
        )


def _reading(path: str, options: dict[str, Any]) -> Callable[[Any], Any]:
    """Reads the file as an estimator of sentences does."""
    from riata.commands.estimator_options import read_for

    return lambda labeller: read_for(labeller, path, options)


def train(cls: Any, options: dict[str, Any]) -> None:
    """riata train, for such a task."""
    from riata.commands.console import TrainingProgress, stderr
    from riata.commands.train import check_target, tell
    from riata.entry import Terminated
    from riata.measuring.cost import Meter, as_json

    meter, file = Meter(), options["train_file"]
    estimator = cls.of_options(asked_of(cls, options))
    check_target(Path(options["model_file"]), [file, options.get("base")])
    data = estimator.read_training(file, _reading(file, options))
    with TrainingProgress(stderr()) as listener, Terminated():
        estimator.fit(data, listener=listener)
    estimator.save(options["model_file"])
    facts, size = estimator.facts(), Path(options["model_file"]).stat().st_size / 1e6
    tell(f"{options['model_file']}: {size:.2f} MB, {facts['weights']:,} weights, {facts['seconds_train']:.1f} s")
    if options["json_"]:
        whole = {"task": cls.task_name, "seconds_decode": None, "peak_rss_mb": meter.peak_rss_mb(), "model_mb": size}
        click.echo(as_json(**whole, **facts, metrics={}))


def evaluate(estimator: Any, options: dict[str, Any]) -> None:
    """riata evaluate --model, for such a task."""
    from riata.commands.console import stdout
    from riata.measuring.cost import Meter, as_json

    meter, began = Meter(), time.perf_counter()
    found = estimator.judged(options["file"])
    if not options["json_"]:
        for table in found.tables():
            stdout().print(table)
        return
    size = Path(options["model_file"]).stat().st_size / 1e6
    whole = {
        "task": estimator.task_name,
        "seconds_decode": time.perf_counter() - began,
        "peak_rss_mb": meter.peak_rss_mb(),
    }
    click.echo(
        as_json(**whole, model_mb=size, **{**estimator.facts(), "metrics": found.metrics, "tokens": found.tokens})
    )


def load_sentences(path: str) -> Any:
    """The model of a file that labels sentences; others are refused."""
    from riata.errors import UnsupportedError
    from riata.estimators.model_file import load_labeller

    found = load_labeller(path)
    if hasattr(type(found), "own_files"):
        raise UnsupportedError(
            f"the model is for {found.task_name!r}, and the command is for models that label sentences.",
            remedy="riata evaluate and riata explain take it.",
            file=path,
        )
    return found


def evaluate_files(cls: Any, options: dict[str, Any]) -> None:
    """riata evaluate --gold --predicted, for such a task."""
    from riata.commands.console import stdout
    from riata.errors import SettingError
    from riata.measuring.cost import Meter, as_json

    if options["other_file"] is not None or not hasattr(cls, "compared_files"):
        raise SettingError(
            f"files of the task {cls.task_name!r} cannot be compared so.", remedy="Give --model and a file."
        )
    meter, found = Meter(), cls.compared_files(options["gold_file"], options["predicted_file"], options.get("part"))
    if not options["json_"]:
        for table in found.tables():
            stdout().print(table)
        return
    nothing = dict.fromkeys(("recipe", "structure", "seconds_train", "seconds_decode", "weights", "model_mb"))
    whole = {**nothing, "task": cls.task_name, "tokens": found.tokens, "peak_rss_mb": meter.peak_rss_mb()}
    click.echo(as_json(**whole, metrics=found.metrics))


def explain(estimator: Any, options: dict[str, Any]) -> None:
    """riata explain, for such a task."""
    from riata.commands.console import stdout
    from riata.errors import SettingError

    which = options["which"] or "1"
    if not which.isdigit():
        raise SettingError(f"--sentence is {which!r}; expected a number for the task {estimator.task_name!r}.")
    stdout().print(estimator.explained(options["file"], int(which), _reading(options["file"], options)))


def inspect(estimator: Any, model_file: str, top: int, json_: bool) -> None:
    """riata inspect, for such a task."""
    from riata.commands.console import stdout
    from riata.showing.table import Table

    facts = {**estimator.facts(), **getattr(estimator, "facts_", {}), "parameters": estimator.changed_params()}
    heaviest = sorted(estimator.weights().items(), key=lambda item: -abs(item[1]))[:top]
    if json_:
        click.echo(json.dumps({**facts, "task": estimator.task_name, "heaviest": heaviest}, default=str))
        return
    stdout().print(Table(model_file, ("", ""), [(name, str(value)) for name, value in facts.items()]))
    stdout().print(Table("heaviest features", ("feature", "weight"), heaviest))
