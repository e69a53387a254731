"""Values of options that name columns of files."""

from __future__ import annotations

import re
from typing import Any

import click

NAME = re.compile(r"[^\W\d][\w.-]*")  # of a column


class Columns(click.ParamType[Any]):
    """Column numbers, or names of CoNLL-U fields or keys of JSON lines, between commas."""

    name = "N,N"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> tuple[int | str, ...]:
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(NAME.fullmatch(part) or _is_number(part) for part in parts):
            self.fail(
                f"{value!r} is not a list of column numbers such as 0,1, or of names such as form,upos (fields of CoNLL-U, or keys of "
                "JSON lines).",
                param,
                context,
            )
        return tuple(int(part) if _is_number(part) else part for part in parts)


class OneColumn(Columns):
    """A column number, or the name of a CoNLL-U field or of a key of JSON lines."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        names = super().convert((value,) if isinstance(value, int) else value, param, context)
        if len(names) != 1:
            self.fail(f"{value!r} names {len(names)} columns; expected one.", param, context)
        return names[0]


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 9  # int() refuses thousands of digits
