"""The objects of a file of JSON lines, each with its line; also those of a file that is one JSON array."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from riata.data.running_text import lines
from riata.data.source import name_of
from riata.data.texts import is_unicode
from riata.errors import DataError

REMEDY = 'Expected one JSON object per line, such as {"tokens": ["The", "bus"], "tags": ["DT", "NN"]}.'
MOST_DIGITS = 1000


class Numbered(NamedTuple):
    """An object, and the line where it begins."""

    line: int
    fields: dict[str, Any]


def objects(path: str | Path, stopped: threading.Event | None = None) -> Iterator[list[Numbered]]:
    """The objects of a file, as many at a time as have come."""
    name, first = name_of(path), True
    parts = lines(path, stopped)
    for number, texts in parts:
        if first and (start := next((text for text in texts if text.strip()), "")):
            first = False
            if _begins_array(start):
                rest = [*texts, *(text for _, more in parts for text in more)]
                yield list(_of_array("\n".join(rest), name, number))
                return
        yield [Numbered(number + i, parsed(text, name, number + i)) for i, text in enumerate(texts) if text.strip()]


def text_objects(path: str | Path, stopped: threading.Event | None = None) -> Iterator[list[Numbered]]:
    """Lines of running text as objects."""
    for number, texts in lines(path, stopped):
        yield [Numbered(number + i, {"text": text.rstrip("\r")}) for i, text in enumerate(texts) if text.strip()]


def parsed(text: str, name: str, line: int) -> dict[str, Any]:
    """The object of a line; refuses whatever is none."""
    try:
        return _object(_DECODER.decode(text.strip()), text)
    except DataError as error:
        raise error.located(name, line) from None
    except (ValueError, RecursionError) as error:
        raise _no_json(error, text).located(name, line) from None


def _begins_array(text: str) -> bool:
    """Whether a first line begins a file that is one array; spaCy's pairs [text, {...}] are arrays too, one per line."""
    if not text.lstrip().startswith("["):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return True
    return not (found and isinstance(found[0], str))


def _of_array(text: str, name: str, first: int) -> Iterator[Numbered]:
    at, line, counted = text.index("[") + 1, first, 0
    while True:
        while text[at : at + 1] in (" ", "\t", "\r", "\n", ","):
            at += 1
        line, counted = line + text.count("\n", counted, at), at
        if text[at:].strip() == "]":
            return
        try:
            found, end = _DECODER.raw_decode(text, at)
            yield Numbered(line, _object(found, text[at:end]))
        except DataError as error:
            raise error.located(name, line) from None
        except (ValueError, RecursionError) as error:
            raise _no_json(error, text[at:]).located(name, line) from None
        at = end


def _object(found: Any, text: str) -> dict[str, Any]:
    if isinstance(found, list) and len(found) == 2 and isinstance(found[0], str) and isinstance(found[1], dict):
        found = {"text": found[0], **found[1]}  # as spaCy's training data had it
    if not isinstance(found, dict):
        raise DataError(f"found {text.strip()!r:.60}, which is no JSON object.", remedy=REMEDY)
    if "\\u" in text and not is_unicode(json.dumps(found, ensure_ascii=False)):
        raise DataError(
            "a text holds a lone surrogate (\\ud800 to \\udfff), which is no character.",
            remedy="Write the character itself, or both halves of the pair.",
        )
    return found


def _no_json(error: Exception, text: str) -> DataError:
    if isinstance(error, RecursionError):
        return DataError("the JSON is nested too deeply.", remedy=REMEDY)
    place = f" at character {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return DataError(f"this is no JSON{place} ({reason}): {text.strip()!r:.60}.", remedy=REMEDY)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"the key {twice!r:.60} is there twice.", remedy="Leave out one of them.")
    return found


def _no_number(text: str) -> Any:
    raise DataError(f"{text} is no number in JSON.", remedy="Write null, or leave the key out.")


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise DataError(f"a number has {len(text):,} digits.", remedy="Write it as a string, or leave the key out.")
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_constant=_no_number, parse_int=_whole)
