"""Data of CRFsuite as the dictionaries of features that an imported model reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from riata.data.named_features import counted
from riata.errors import DataError
from riata.importing.model_text import ModelText

Item = dict[str, float]
_FIELD = re.compile(r"((?:[^:\\]|\\.)*)(?::(.*))?", re.DOTALL)


def from_strings(sentences: Iterable[Iterable[Iterable[str]]]) -> list[list[Item]]:
    """Tokens that are lists of names, as python-crfsuite takes them. A name that a token has twice counts twice."""
    return [[counted(token) for token in sentence] for sentence in sentences]


def read_items(path: str | Path) -> tuple[list[list[Item]], list[list[str]]]:
    r"""Features and labels of a data file of `crfsuite`.

    A token is a line, `LABEL NAME NAME:VALUE …` with tabs between; a blank line ends a sentence. In names,
    `:` is written `\:` and `\` is `\\`.
    """
    try:
        text = ModelText.of(path)
    except OSError as error:
        raise DataError(f"{error.strerror or error}.", file=path) from None
    features: list[list[Item]] = []
    labels: list[list[str]] = []
    inside = False
    for number, line in enumerate(text.lines, start=1):
        if line and not inside:
            features.append([])
            labels.append([])
        inside = bool(line)
        if line:
            label, *fields = line.split("\t")
            features[-1].append(_summed(_field(field, path, number) for field in fields))
            labels[-1].append(label)
    return features, labels


def _field(field: str, path: str | Path, line: int) -> tuple[str, float]:
    match = _FIELD.fullmatch(field)
    try:
        if match is None:
            raise ValueError
        value = float(match[2]) if match[2] is not None else 1.0
    except ValueError:
        raise DataError(
            f"cannot read {field!r:.60}; expected a name, or NAME:VALUE with a number.",
            remedy=r"Write a colon inside a name as \:.",
            file=path,
            line=line,
        ) from None
    return re.sub(r"\\(.)", r"\1", match[1]), value


def _summed(pairs: Iterator[tuple[str, float]]) -> Item:
    item: Item = {}
    for name, value in pairs:
        item[name] = item.get(name, 0.0) + value
    return item
