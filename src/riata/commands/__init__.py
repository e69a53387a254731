"""The command line: one file per verb, found by listing this folder and imported when asked for."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

import click

from riata.errors import RiataError

INTERRUPTED = 130


class Verbs(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(__path__))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{name}").command
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="riata", prog_name="riata")
def cli() -> None:
    """Train, run and understand structured predictors.

    \b
    riata demo                                              see it work, on the corpus that comes with it
    riata train chunk --train train.txt --model c.riata     learn from a file of columns
    riata predict --model c.riata new.txt                   add a column of predictions
    riata evaluate --model c.riata test.txt                 precision, recall and F1 as conlleval counts

    Files hold one token per line, columns between spaces or tabs, a blank line after each sentence.
    """


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line. Exit status: 0 done, 2 wrong usage or bad input, 130 interrupted."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        status = cli.main(args=arguments, prog_name="riata", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except RiataError as error:
        click.echo(f"Error: {error}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `riata predict … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        click.echo("Error: out of memory.\n  Use a smaller template, a higher --cutoff, or less data.", err=True)
        return 2
    except OSError as error:  # standard output on a full disk, a folder without permission
        click.echo(f"Error: {error.filename or 'output'}: {error.strerror or error}.", err=True)
        return 2
