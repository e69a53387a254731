"""Files that are no columns but look like them to a reader: JSON lines, CSV, and a first line that names the columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from riata.errors import DataError

LOOKED_AT = 1 << 16  # bytes
ROWS = 20  # lines
WORDS = {"word", "words", "token", "tokens", "form", "forms"}
NUMBERS = {"id", "sentence", "sentence #", "sentence_id", "sent_id", "sent", "doc", "document", "index", "idx", "#", ""}
LABELS = {
    "tag",
    "tags",
    "label",
    "labels",
    "pos",
    "ner",
    "chunk",
    "entity",
    "upos",
    "xpos",
    "iob",
    "bio",
    "class",
    "category",
}
LABELS |= {
    f"{label}_{more}" for label in ("pos", "ner", "chunk", "bio", "iob", "entity") for more in ("tag", "tags", "label")
}
NAMES = WORDS | NUMBERS | LABELS | {"lemma", "feats", "shape", "start", "end"}
SEPARATORS = (",", ";")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def looked_through(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same pieces; DataError before the first if they begin a file of another kind."""
    held = b""
    for piece in pieces:
        held += piece
        if held.lstrip().count(b"\n") or len(held) > LOOKED_AT:
            break
    if held:
        _check(held[:LOOKED_AT])
        yield held
    yield from pieces


def _check(head: bytes) -> None:
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    number, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if first.lstrip().startswith(('{"', '[{"', '["')) or (first.strip() in ("[", "{") and _goes_on(lines[number:])):
        _check_json(first, number)
    for separator in SEPARATORS:
        _check_csv(lines[:-1] if len(head) == LOOKED_AT else lines, separator)
    if number == 1:
        _check_header(first.split("\t") if "\t" in first else first.split())


def _goes_on(lines: list[str]) -> bool:
    """Whether an array or object, opened on a line of its own, has contents as JSON has them."""
    following = next((line.strip() for line in lines if line.strip()), "")
    return following.startswith(('{"', '"')) or following == "{"


def _check_json(first: str, number: int) -> None:
    if first.lstrip().startswith(('{"', "[")):
        try:
            is_json = isinstance(json.loads(first), (dict, list))
        except (ValueError, RecursionError):
            is_json = '":' in first or first.strip() == "["
        if not is_json:
            return
    raise DataError(
        "this is JSON; expected columns.",
        remedy="In Python, use read_jsonl; on the command line, add --format jsonl, or let the file's name end in .jsonl.",
        line=number,
    )


def _check_csv(lines: list[str], separator: str) -> None:
    """Refuses lines that all have as many separators, and no blanks but those within quotes and in the first line."""
    rows = [_QUOTED.sub("x", line.strip()) for line in lines if line.strip()][:ROWS]
    width = rows[0].count(separator) + 1 if rows else 1
    named = width > 1 and all(name.strip().casefold() in NAMES for name in rows[0].split(separator))
    if width == 1 or len(rows) < (2 if named else 3) or any(row.count(separator) != width - 1 for row in rows):
        return
    if any(len(row.split()) > 1 for row in rows[1:]) or not any(row.strip(separator) for row in rows):
        return
    raise DataError(
        f"this is CSV, {width} values between {separator!r}; expected columns between tabs or spaces.",
        remedy=f"In Python: riata.from_frame(pandas.read_csv(FILE, sep={separator!r}), columns=[...], sentence='...').",
        line=1,
    )


def _check_header(fields: list[str]) -> None:
    names = [field.strip().strip('"').casefold() for field in fields]
    if len(names) < 2 or not all(name in NAMES for name in names):
        return
    if WORDS.intersection(names) and names[-1] in LABELS:
        raise DataError(
            f"the first line names the columns ({', '.join(fields)}); expected the first token.",
            remedy="Remove the line: tail -n +2 FILE. If it is a token, put a blank line before it.",
            line=1,
        )
