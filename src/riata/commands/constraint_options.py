"""Options about constraints: which ones a model is trained with, and whether predictions keep them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def constraint_options(command: Command) -> Command:
    """Of commands that train."""
    for option in (
        click.option(
            "--inference",
            type=click.Choice(["none", "after", "during"]),
            default="after",
            show_default=True,
            help="When constraints are kept: by predictions (after), in training too (during), or not at all (none).",
        ),
        click.option(
            "--constraint",
            "constraints",
            multiple=True,
            metavar="TEXT|FILE",
            help="A rule that outputs keep, such as 'at_most(1, \"PER\")', or a file with one per line; may be repeated.",
        ),
    ):
        command = option(command)
    return command


switch_option = click.option(
    "--constraints",
    "keeps",
    metavar="on|off|soft|P",
    help="Keep the model's constraints (on), ignore them (off), or charge 1 (soft) or P for each that is broken.",
)


def declared(given: Sequence[str]) -> list[Any] | str | None:
    """The constraints of the option --constraint; None: there are none."""
    from riata.constraints import parse, read
    from riata.errors import SettingError

    found: list[Any] = []
    for text in given:
        if text == "roles" and not os.path.exists(text):
            found.append(text)  # what the task srl makes of it; others refuse it
            continue
        if not os.path.exists(text):
            if "(" not in text:
                raise SettingError(
                    f"--constraint {text!r} is neither a constraint nor a file.",
                    remedy='Write at_most(1, "PER"), or name a file of such lines.',
                )
            found.append(parse(text))
            continue
        read_ones = read(text)
        if not read_ones:
            raise SettingError("there are no constraints in it.", file=text, remedy="Constraints are one per line.")
        found += read_ones
    return "roles" if found == ["roles"] else found or None


def switched(estimator: Any, keeps: str | None) -> Any:
    """The model as the option --constraints says."""
    from riata.errors import SettingError
    from riata.estimators.constrained import switched as with_constraints

    if keeps is None:
        return estimator
    if estimator.constraints is None:
        raise SettingError(
            "--constraints is for models with constraints, and this one has none.", remedy="Leave it out."
        )
    words: dict[str, Any] = {"on": True, "off": False, "soft": "soft"}
    if keeps in words:
        return with_constraints(estimator, words[keeps])
    try:
        return with_constraints(estimator, float(keeps))
    except ValueError:
        raise SettingError(f"--constraints is {keeps!r}; expected on, off, soft, or a penalty above 0.") from None


def tell_of_constraints(estimator: Any) -> None:
    """Says how outputs were made to keep constraints, on standard error."""
    kept = estimator.predicting.decoder().kept
    if kept is not None and kept.tally.found:
        from riata.commands.console import stderr
        from riata.estimators.constrained import report_of

        stderr().print(str(report_of(kept)), markup=False, soft_wrap=True)
