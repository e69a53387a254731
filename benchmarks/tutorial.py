"""The features of sklearn-crfsuite's tutorial on entities: a dictionary per token."""

from __future__ import annotations

from typing import Any

Features = dict[str, Any]


def dictionaries(rows: list[tuple[str, ...]]) -> list[Features]:
    """Of a sentence of words and tags."""
    return [_token(rows, i) for i in range(len(rows))]


def _token(rows: list[tuple[str, ...]], i: int) -> Features:
    word, tag = rows[i][:2]
    found = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-3:]": word[-3:],
        "word[-2:]": word[-2:],
        "word.isupper()": word.isupper(),
        "word.istitle()": word.istitle(),
        "word.isdigit()": word.isdigit(),
        "postag": tag,
        "postag[:2]": tag[:2],
    }
    found |= _beside("-1", rows[i - 1]) if i > 0 else {"BOS": True}
    found |= _beside("+1", rows[i + 1]) if i + 1 < len(rows) else {"EOS": True}
    return found


def _beside(where: str, row: tuple[str, ...]) -> Features:
    word, tag = row[:2]
    return {
        f"{where}:word.lower()": word.lower(),
        f"{where}:word.istitle()": word.istitle(),
        f"{where}:word.isupper()": word.isupper(),
        f"{where}:postag": tag,
        f"{where}:postag[:2]": tag[:2],
    }
