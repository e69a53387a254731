"""Options of files of pairs, which the task match reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from riata.commands.base import Command

PARTS = "part", "aligners"


def pair_options(command: Command) -> Command:
    part = click.option(
        "--part", metavar="NAME", help="For match: the part of the file, such as test (default: all of it)."
    )
    aligners = click.option(
        "--aligners", metavar="FILE", help="For match: what other aligners found, by the number of each pair."
    )
    return part(aligners(command))


def reading_pairs(estimator: Any, options: Mapping[str, Any]) -> Any:
    """The estimator as it reads the pairs that are asked for."""
    from riata.errors import SettingError

    given = {name: options[name] for name in PARTS if options.get(name) is not None}
    for name in given:
        if name not in estimator._param_names():
            raise SettingError(f"--{name} is for match, and the model is for {estimator.task_name!r}.")
    return estimator.set_params(**given) if given else estimator
