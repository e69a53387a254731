"""Where the command line starts. Imports nothing before it can answer Ctrl-C."""

import sys


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line. Exit status: 0 done, 2 wrong usage or bad input, 130 interrupted."""
    try:
        from riata.commands.base import run

        status = run(arguments)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        status = 130
    sys.exit(status)
