"""Options that are parameters of some tasks only, by the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

# By name: help, and what tasks without the parameter lack.
OPTIONS = {
    "boundaries": (
        "For srl: found (default) looks for the arguments; given labels the spans of the file.",
        "is for predicates and their arguments, which the task {task!r} does not have",
    ),
    "tags": (
        "For parse: own (default) learns taggers for the tags of the file, which the model contains, so that new text needs only words; "
        "given reads the tags of the file; joint chooses the last tags while parsing.",
        "is for tasks that read tags beside words, which the task {task!r} does not",
    ),
}


def task_options(command: Command) -> Command:
    for name, (text, _) in reversed(OPTIONS.items()):
        command = click.option(f"--{name}", metavar="NAME", help=text)(command)
    return command


def of_task(options: dict[str, Any], estimator: Any) -> dict[str, Any]:
    """The parameters whose options are given; they are refused for tasks that do not have them. estimator: the class of the task."""
    from riata.errors import SettingError

    given = {name: options[name] for name in OPTIONS if options[name] is not None}
    for name in given:
        if name not in estimator._param_names():
            reason = OPTIONS[name][1].format(task=estimator.task_name)
            raise SettingError(f"--{name} {reason}.", remedy=f"Leave out --{name}.")
    return given
