"""riata data"""

from __future__ import annotations

import click


@click.group(short_help="Data sets: list, path, fetch.")
def command() -> None:
    """Data sets by name. $RIATA_DATA names a folder to look in first, then the cache (~/.cache/riata).

    \b
    riata data list
    riata data path conll2000 train
    riata data fetch ud-en-ewt
    """


@command.command("list")
def list_() -> None:
    """Show every data set, its licence and where it is."""
    from rich.table import Table

    from riata import registry
    from riata.commands.console import stdout
    from riata.errors import DataError

    table = Table()
    for name in ("name", "what it is", "splits", "licence", "found in"):
        table.add_column(name, no_wrap=name == "name")  # names are typed, so they are never broken
    for name, data in registry.all_of("data set").items():
        try:
            place = str(data.path(next(iter(data.files))).parent)
        except DataError:
            place = "not here"
        table.add_row(name, data.summary, ", ".join(data.files), data.licence, place)
    stdout().print(table)


@command.command()
@click.argument("name")
@click.argument("split", default="train")
def path(name: str, split: str) -> None:
    """Print the path of a split's file."""
    from riata import registry

    click.echo(registry.get("data set", name).path(split))


@command.command()
@click.argument("name")
def fetch(name: str) -> None:
    """Download a data set into the cache and check it; or print what to put where."""
    from riata import registry
    from riata.data.fetch import fetch as fetch_files

    for file in fetch_files(registry.get("data set", name)):
        click.echo(file)
