"""The command line as a whole: verbs are found by listing this folder and imported when asked for."""

from __future__ import annotations

import importlib
import io
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from riata.entry import INTERRUPTED
from riata.errors import RiataError, RiataWarning, UnknownNameError, is_shortage, shortened
from riata.other_words import meant

Command = TypeVar("Command", bound=Callable[..., Any])
FOLDER = Path(__file__).parent
SHARED = ("base", "console", "typed")  # modules here that are no verbs; nor are modules of options
OPTIONS = "_options"


def format_option(command: Command) -> Command:
    """The options of how files are read."""
    from riata.registry import names

    named = click.option(
        "--format",
        "format_",
        default="auto",
        show_default=True,
        metavar="NAME",
        help=f"Of files: {', '.join(names('format'))}; auto goes by the ending (.conllu; .jsonl, .ndjson, .json; others are columns), and "
        "takes conllu where columns are asked for by the names of its fields.",
    )
    tokenizer = click.option(
        "--tokenizer",
        metavar="MODULE:FUNCTION",
        expose_value=False,
        callback=_tokenizer,
        help="Your function from a text of JSON lines to its words (default: words and marks), or from a line of --text (default: split at "
        "spaces).",
    )
    misaligned = click.option(
        "--misaligned",
        metavar="NAME",
        expose_value=False,
        callback=_misaligned,
        help="Of JSON lines, what becomes of spans that begin or end inside a word: widen (default), drop or refuse.",
    )
    clean = click.option(
        "--clean",
        is_flag=True,
        expose_value=False,
        callback=_clean,
        help="Read texts without invisible characters and without blanks at their ends, accents in the form NFC.",
    )
    return named(tokenizer(misaligned(clean(command))))


def _clean(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from riata.data.columns import cleaning

        context.with_resource(cleaning(True))


def _tokenizer(context: click.Context, _: click.Parameter, name: str | None) -> None:
    if name is not None:
        from riata.data.formats.base import splitting

        context.with_resource(splitting(imported(name)))


def _misaligned(context: click.Context, _: click.Parameter, name: str | None) -> None:
    if name is not None:
        from riata.data.formats.base import splitting

        context.with_resource(splitting(misaligned=name))


class _ReaderGone(Exception):
    """Nobody reads our output any more, as in `riata predict … | head`."""


class Verbs(click.Group):
    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except BrokenPipeError:  # before click sees it, which would exit with 1
            raise _ReaderGone from None

    def list_commands(self, context: click.Context) -> list[str]:
        import pkgutil

        stems = (module.name for module in pkgutil.iter_modules([str(FOLDER)]))
        return sorted(stem.replace("_", "-") for stem in stems if stem not in SHARED and not stem.endswith(OPTIONS))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            if context.resilient_parsing:  # the shell asks for completions
                return None
            raise UnknownNameError.of("command", name, self.list_commands(context), remedy="`riata --help` tells more.")
        command: click.Command = importlib.import_module(f"riata.commands.{name.replace('-', '_')}").command
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
    riata compare chunk --train train.txt --recipes all     several learners in one table

    Files have one token per line, columns separated by spaces or tabs, and a blank line after each sentence.
    CoNLL-U and JSON lines are read, too.
    """


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Riata's own warnings without the line of code that gave them."""
    own = issubclass(category, RiataWarning)
    click.echo(f"Warning: {message}" if own else warnings.formatwarning(message, category, filename, lineno), err=True)


def run(arguments: list[str] | None) -> int:
    """Runs the command line; its exit status."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a character gets its number
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        warnings.showwarning = _show_warning
        status = cli.main(args=arguments, prog_name="riata", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and error.ctx is not None:
            known = {option for each in error.ctx.command.params for option in each.opts}
            options = [f"--{name.replace('_', '-')}" for name in meant("parameter", error.option_name)]
            if options := [option for option in options if option in known]:
                error = click.UsageError(
                    f"No such option {error.option_name!r}. Did you mean {options[0]!r}?", error.ctx
                )
        said = io.StringIO()
        error.show(said)
        click.echo(shortened(said.getvalue()), err=True, nl=False)
        return 2
    except RiataError as error:
        click.echo(f"Error: {error}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (_ReaderGone, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # standard output on a full disk, a folder without permission
        if is_shortage(error):
            raise
        click.echo(f"Error: {error.filename or 'output'}: {error.strerror or error}.", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to write has nowhere to go
        return 2


def imported(name: str) -> Any:
    """A function that the user names, MODULE:FUNCTION, from a module that is installed or in the present folder."""
    import importlib

    from riata.errors import SettingError

    module, _, function = name.partition(":")
    sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), function, None) if module and function else None
    except (Exception, SystemExit) as error:  # whatever the user's module raises
        raise SettingError(f"--tokenizer {name}: the module cannot be imported: {error!r:.200}.") from None
    finally:
        sys.path.remove("")
    if not callable(found):
        raise SettingError(
            f"--tokenizer {name}: there is no such function.",
            remedy="Expected MODULE:FUNCTION, such as mytokens:words.",
        )
    return found
