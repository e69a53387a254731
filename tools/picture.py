"""Draws docs/demo.svg, the picture of the README: real commands on the embedded corpus, recorded by rich.

    python tools/picture.py [OUT.svg]

Everything but the timings is the same on every run.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.markup import escape
from rich.terminal_theme import TerminalTheme

import riata
import riata.commands.console
from riata.commands import demo
from riata.commands.base import cli

WIDTH = 96
TARGET = Path(__file__).parent.parent / "docs" / "demo.svg"
COLOURS = "484f58 ff7b72 56d364 e3b341 79c0ff d2a8ff 56d4dd c9d1d9"  # black red green yellow blue magenta cyan white


def rgb(text: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


THEME = TerminalTheme(rgb("0d1117"), rgb("c9d1d9"), [rgb(colour) for colour in COLOURS.split()])
# rich's page asks for a font from the network; a picture in a README may not, and needs none.
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "font-family: Fira Code, monospace", "font-family: Fira Code, DejaVu Sans Mono, Menlo, Consolas, monospace"
)


def main(target: Path) -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False)
    # Every command asks these two for its console when it runs, so one recorder hears them all.
    riata.commands.console.stdout = riata.commands.console.stderr = lambda: console
    target = target.absolute()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the commands name their files without folders
        for split in ("train", "test"):
            riata.write_columns(riata.load("embedded", split), f"{split}.txt")
        run(console, "train chunk --train train.txt --model chunker.riata --epochs 5")
        run(console, "evaluate --model chunker.riata test.txt")
        show_end_of_demo(console)
        os.chdir(home)
    svg = console.export_svg(title="riata", theme=THEME, code_format=FORMAT, unique_id="riata")
    target.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


def prompt(console: Console, arguments: str) -> None:
    console.print(f"[bold green]$[/] [bold]riata {escape(arguments)}[/]", soft_wrap=True)


def run(console: Console, arguments: str) -> None:
    """One command, as if typed."""
    prompt(console, arguments)
    cli.main(args=arguments.split(), prog_name="riata", standalone_mode=False)
    console.print()


def show_end_of_demo(console: Console) -> None:
    """The last part of `riata demo --sentences 2`, which comes after three tables of scores."""
    prompt(console, "demo --sentences 2")
    console.print("[dim]... the scores of a tagger, a chunker and an entity recogniser, and then:[/]\n")
    chunker = riata.Chunker().fit(riata.load("embedded", "train"), listener=lambda event: None)
    demo._show_sentences({"chunk": (chunker, ())}, 2)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
