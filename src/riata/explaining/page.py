"""Explanations and traces as pages: one file of HTML with style, script and data inside, that loads nothing from anywhere."""

from __future__ import annotations

import html
import re
from importlib.resources import files
from pathlib import Path

from riata.data import atomic_file
from riata.errors import DataError
from riata.explaining.explanation import Explanation
from riata.explaining.packing import pack
from riata.explaining.trace import Trace
from riata.showing.table import visible

LONGEST_TITLE = 60  # characters
FRAME_HEIGHT = 820  # pixels of a page in a notebook


def page(shown: Explanation | Trace) -> str:
    """The page of an explanation, with the decision, the cause of an error, and the search; or of a trace, with the search.

    Of users' texts only the title is part of the page as text; the rest is packed.
    """
    parts = {
        "title": html.escape(_title(shown)),
        "style": _asset("viewer.css"),
        "script": _script(),
        "data": pack(shown),
    }
    # In one pass: inserted text is not searched for placeholders again.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _asset("viewer.html"))


def framed(page: str) -> str:
    """A page inside another one, as in a notebook: it can neither read nor change the page around it."""
    style = f"width:100%;height:{FRAME_HEIGHT}px;border:1px solid #8886;border-radius:6px"
    return f'<iframe title="Riata" sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


def check_target(path: str | Path, what: str = "the page") -> None:
    """Checks before the work, not after it, that the page can be written."""
    atomic_file.check_target(path, what, "Make the folder, or name another file.")


def save(page: str, path: str | Path, what: str = "the page") -> None:
    """Writes the page, or a picture, completely or not at all."""
    check_target(path, what)
    try:
        with atomic_file.whole_file(path) as file:
            file.write(page.encode())
    except (OSError, ValueError) as error:
        remedy = "Name another file, or see to the rights of the folder."
        raise DataError(f"{what} cannot be written: {error}.", remedy=remedy, file=path) from error


def _title(shown: Explanation | Trace) -> str:
    text = visible(" ".join(map(str, shown.input)))
    short = text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1]}…"
    return f"Riata: {short}"


def _script() -> str:
    """All scripts as one, in a scope of their own."""
    names = sorted(
        file.name for file in files("riata.explaining").joinpath("viewer").iterdir() if file.name.endswith(".js")
    )
    parts = "\n".join(_asset(name) for name in names)
    return f'"use strict";\n(() => {{\n{parts}\nstart();\n}})();'


def _asset(name: str) -> str:
    return files("riata.explaining").joinpath("viewer", name).read_text(encoding="utf-8")
