"""The command line: one file per verb."""

from riata.commands.base import cli, main

__all__ = ["cli", "main"]
