"""Characters that nobody sees, or that can be written in two ways: texts that differ by them look alike, but are other texts."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

import numpy as np

from riata._core import Alphabet, not_plain
from riata.data.types import Column, Corpus
from riata.errors import RiataWarning, shortened

INVISIBLE = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u2060\ufeff]")
ENDS = re.compile(r"^\s|\s$")
EITHER = re.compile(rf"{INVISIBLE.pattern}|^[^\S\n]|[^\S\n]$", re.MULTILINE)
EMPTY = "_"  # what is left of a text without any visible character

_always: ContextVar[bool] = ContextVar("clean")


@contextmanager
def cleaning(on: bool) -> Iterator[None]:
    """A context in which all files are cleaned when they are read, whether that is asked for or not."""
    token = _always.set(on or _always.get(False))
    try:
        yield
    finally:
        _always.reset(token)


def is_cleaning() -> bool:
    return _always.get(False)


def cleaned_text(text: str) -> str:
    return INVISIBLE.sub("", unicodedata.normalize("NFC", text)).strip() or EMPTY


def cleaned(corpus: Corpus) -> Corpus:
    """The corpus with clean texts in all columns."""
    return replace(corpus, columns=tuple(map(_cleaned, corpus.columns)))


def warn_of_unclean(corpus: Corpus) -> bool:
    """Warns if a text of a file is not clean; whether one is not."""
    if text := unclean(corpus):
        warnings.warn(f"{text} clean=True (--clean) cleans all texts in reading.", RiataWarning, stacklevel=3)
    return bool(text)


def unclean(corpus: Corpus) -> str:
    """The first text that is not clean, with its place, and how many texts there are; empty if all are clean."""
    found = [(c, i) for c, column in enumerate(corpus.columns) for i in _unclean(column)]
    if not found:
        return ""
    first = {(c, i): int(np.argmax(corpus.columns[c].ids == i)) for c, i in found[:1000]}
    (c, i), token = min(first.items(), key=lambda item: item[1])
    text = corpus.columns[c].alphabet.text(i)
    line = corpus.line_of(token)
    place = corpus.name if line is None else f"{corpus.name}:{line}"
    others = len(found) - 1
    return shortened(
        f"{place}: column {c} has {text!a}, with {_fault(text)}; "
        f"so it is another text than without{f'; {others:,} more texts are like it' if others else ''}."
    )


def _fault(text: str) -> str:
    if found := INVISIBLE.search(text):
        return f"the invisible character U+{ord(found[0]):04X}"
    if found := ENDS.search(text):
        return "a carriage return (CR) at its end" if found[0] == "\r" else "a blank at its beginning or end"
    return "letters and accents that Unicode writes as one (not in its form NFC)"


def _unclean(column: Column) -> list[int]:
    """The ids of texts that are not clean. The core leaves out most others; the rest is first looked at as one text."""
    ids = not_plain(column.alphabet)
    texts = column.alphabet.texts_of(ids)
    whole = "\n".join(texts)
    if unicodedata.is_normalized("NFC", whole) and EITHER.search(whole) is None:
        return []
    return [int(i) for i, text in zip(ids, texts, strict=True) if cleaned_text(text) != text]


def _cleaned(column: Column) -> Column:
    if not _unclean(column):
        return column
    alphabet = Alphabet()
    table = np.asarray(alphabet.add_many([cleaned_text(text) for text in column.alphabet.texts()]), np.int32)
    return Column(alphabet, table[column.ids])
