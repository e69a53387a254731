"""The command line: one file per verb."""

from riata.entry import main

__all__ = ["main"]
