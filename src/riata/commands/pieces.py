"""riata pieces"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = ("task", "structure", "queue", "recipe", "loss", "constraint", "encoding", "reproduction")


@click.command(short_help="Every task, structure, queue, recipe and loss.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(json_: bool) -> None:
    """List every piece by name, with what it is, its paper (CITATIONS.bib) and its settings for --set.

    \b
    riata pieces
    riata pieces --json
    """
    from riata import registry

    found = {kind: registry.all_of(kind) for kind in SHOWN}
    if json_:
        click.echo(
            json.dumps(
                {
                    kind: {name: _facts(kind, name, piece) for name, piece in pieces.items()}
                    for kind, pieces in found.items()
                }
            )
        )
        return
    from riata.choosing.decoding import RISK
    from riata.commands.console import stdout
    from riata.features.attributes import builtin
    from riata.features.context_names import SUMMARIES
    from riata.features.frequency import FREQUENCY
    from riata.features.language import language_of
    from riata.features.lists import attribute_names
    from riata.features.named_sets import builtin_names

    table = _table(found)
    structures = registry.names("structure")
    for i, structure in enumerate(structures):
        named = ", ".join(builtin_names(language_of(structure).ending))
        about = f"named sets of features of the structure {structure}"
        table.add_row("" if i else "template", named, about, "", end_section=i == len(structures) - 1)
    table.add_row("attribute", ", ".join(builtin()), "functions of a word, for templates", "")
    table.add_row("", f"{FREQUENCY}, {', '.join(attribute_names(['NAME']))}", "what training and --list know of it", "")
    table.add_row("", ", ".join(SUMMARIES), "of two passes, what the first says of it", "")
    console = stdout()
    console.print(table)
    console.print(_advice())
    of_pieces = {name: piece.settings for kind in ("recipe", "structure") for name, piece in found[kind].items()}
    for name, settings in {**of_pieces, "every recipe, for decoding": RISK}.items():
        if not settings:
            continue
        console.print(f"\nsettings of [bold]{name}[/] (--set key=value):")
        for setting in settings:
            console.print(f"  {setting.name}={str(setting.default).lower()}: {setting.help}; {setting.expected()}")


def _table(found: dict[str, Any]) -> Any:
    """Every piece by its kind. Names are typed, so they are never broken."""
    from rich.table import Table

    from riata import registry

    table = Table(show_lines=False)
    longest = max(len(name) for pieces in found.values() for name in pieces)
    for name in ("kind", "name", "what it is", "paper"):
        table.add_column(name, min_width=longest if name == "name" else None)
    for kind, pieces in found.items():
        for i, (name, piece) in enumerate(pieces.items()):
            last = i == len(pieces) - 1
            about = registry.summary(kind, name)
            alias_of = getattr(piece, "alias_of", None)
            about += f" (another name of {alias_of})" if alias_of else ""
            table.add_row(kind if i == 0 else "", name, about, getattr(piece, "paper", ""), end_section=last)
    return table


def _advice() -> Table:
    from rich.table import Table

    from riata.estimators.advice import ADVICE

    table = Table(title="What to use", title_justify="left")
    for name in ("you have", "use", "because it"):
        table.add_column(name)
    for row in ADVICE:
        table.add_row(*row)
    return table


def _facts(kind: str, name: str, piece: object) -> dict[str, object]:
    from riata import registry
    from riata.choosing.preference import recipes_by_structure
    from riata.tasks.base import Task

    settings = [
        {
            "name": s.name,
            "default": s.default,
            "expected": s.expected(),
            "help": s.help,
            "needs": {str(value).lower(): operations for value, operations in s.needs.items()},
            "only": s.only,
        }
        for s in getattr(piece, "settings", ())
    ]
    facts = {"summary": registry.summary(kind, name), "paper": getattr(piece, "paper", ""), "settings": settings}
    facts |= {key: sorted(getattr(piece, key)) for key in ("needs", "offers") if hasattr(piece, key)}
    facts |= {"alias_of": piece.alias_of} if hasattr(piece, "alias_of") else {}
    return {**facts, "recipes": recipes_by_structure(piece.estimator)} if isinstance(piece, Task) else facts
