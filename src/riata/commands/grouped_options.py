"""Options of a command under headings, so that a long --help can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
OTHERS = "Other options"


def together(*options: Callable[[Any], Any], heading: str | None = None) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order. heading: of those among them that have none."""

    def decorated(command: Command) -> Command:
        before = len(_params(command))
        for option in reversed(options):
            command = option(command)
        if heading is not None:
            for param in _params(command)[before:]:
                vars(param).setdefault("heading", heading)
        return command

    return decorated


def _params(command: Any) -> list[click.Parameter]:
    found: list[click.Parameter] = getattr(command, "__click_params__", [])
    return found


class Grouped(click.Command):
    """Shows options by their headings, in the order in which they first come."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(context):
            record = param.get_help_record(context)
            if record is not None:
                rows.setdefault(vars(param).get("heading", OTHERS), []).append(record)
        rows[OTHERS] = rows.pop(OTHERS, [])  # last
        for heading, records in rows.items():
            with formatter.section(heading):
                formatter.write_dl(records)
