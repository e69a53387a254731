"""Named sets of templates: the files of `builtin`, whose stems are their names.

In such a file, `include NAME` stands for all lines of another set, and `[-w..w]` at the end of a line for one line per offset of a window.
w is 1, unless a number follows the name of the set: `S3:2`.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from riata._core import boundary_reach
from riata.errors import TemplateError, UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path

_INCLUDE = re.compile(r"^include (?P<name>\S+)\n", re.MULTILINE)
_WINDOWED = re.compile(r"^(?P<read>.*)\[-w\.\.w\]$", re.MULTILINE)
_NUMBERED = re.compile(r"(?P<name>[^:]+):(?P<window>[0-9]+)")
_USUAL = 1  # half of a window, where the name says nothing


@cache
def builtin_names(kind: str = "template") -> tuple[str, ...]:
    """The names of built-in sets. kind: the ending of their files."""
    from importlib.resources import files

    folder, ending = files("riata.features") / "builtin", f".{kind}"
    return tuple(sorted(entry.name.removesuffix(ending) for entry in folder.iterdir() if entry.name.endswith(ending)))


def is_named_set(source: str | Path, kind: str) -> bool:
    """Whether this is the name of a built-in set, with or without a window."""
    return str(source).partition(":")[0] in builtin_names(kind)


def read_source(source: str | Path, kind: str) -> str:
    """The text of a built-in set of this kind (the ending of its file), or of a file."""
    if is_named_set(source, kind):
        return _named(str(source), kind)
    if not os.path.isfile(source):
        numbered = _NUMBERED.fullmatch(str(source))
        name = numbered["name"] if numbered else str(source)
        raise UnknownNameError.of("template", name, builtin_names(kind), remedy="Or give the path of a template file.")
    try:
        with open(source, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TemplateError("not valid UTF-8.", remedy="Convert the file to UTF-8.", file=source, line=line) from None


def _named(source: str, kind: str) -> str:
    """The text of a built-in set, with one line per offset of its window."""
    name, colon, window = source.partition(":")
    text = _text(name, kind)
    if colon and not _WINDOWED.search(text):
        raise TemplateError(
            f"{source}: the set {name!r} has no window to choose.",
            remedy=f"Write {name!r}; sets with a window: {_with_window(kind) or 'none'}.",
        )
    half = _half(name, window) if colon else _USUAL
    return _WINDOWED.sub(lambda m: "\n".join(f"{m['read']}[{at}]" for at in range(-half, half + 1)), text)


def _half(name: str, window: str) -> int:
    if not (window.isascii() and window.isdecimal() and len(window) <= 9 and int(window) <= boundary_reach):
        raise TemplateError(
            f"{name}:{window}: the window is {window!r}; expected how many tokens before and after are read, 0 to {boundary_reach}.",
            remedy=f"Write {name}:2 for the tokens -2 to 2.",
        )
    return int(window)


def _with_window(kind: str) -> str:
    return ", ".join(name for name in builtin_names(kind) if _WINDOWED.search(_text(name, kind)))


def _text(name: str, kind: str) -> str:
    from importlib.resources import files

    text = (files("riata.features") / "builtin" / f"{name}.{kind}").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda line: _text(line["name"], kind), text)
