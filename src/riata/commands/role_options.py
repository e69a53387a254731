"""Options of the task srl."""

from __future__ import annotations

from typing import Any

import click

boundaries_option = click.option(
    "--boundaries",
    metavar="NAME",
    help="For srl: found (default) looks for the arguments; given labels the spans of the file.",
)


def boundaries(options: dict[str, Any], estimator: Any) -> dict[str, Any]:
    """The parameter, if the option is given; it is refused for tasks that do not have it. estimator: the class of the task."""
    from riata.errors import SettingError

    given = options["boundaries"]
    if given is None:
        return {}
    if "boundaries" not in estimator._param_names():
        raise SettingError(
            f"--boundaries is for predicates and their arguments, which the task {estimator.task_name!r} does not have.",
            remedy="Leave out --boundaries.",
        )
    return {"boundaries": given}
