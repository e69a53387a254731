"""Attributes: functions of one word type. The function's name is the word used in templates.

Each is computed once per distinct word, never per token. None means the word has no such attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from riata._core import porter, teach_letters

Attribute = Callable[[str], str | None]
_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def identity(text: str) -> str | None:
    """The text of the column as it stands."""
    return text


def bias(text: str) -> str | None:
    """The same for every word: a preference for labels, whatever the input."""
    return ""


def outside(text: str) -> str | None:
    """Nothing for any word, so that only places outside the sentence have a value: `outside[-1] word[0]` is the first word."""
    return None


def lower(text: str) -> str | None:
    """In lower case."""
    return text.lower()


def asciilower(text: str) -> str | None:
    """A to Z in lower case, all other letters as they are."""
    return text.translate(_ASCII_LOWER)


def stem(text: str) -> str | None:
    """The stem of an English word, in lower case: `Relational` is `relat` (Porter 1980)."""
    return porter(text.lower())


def ending(text: str) -> str | None:
    """What the stem leaves of the word: `Relational` has `ional`, `happy` (stem `happi`) has `y`."""
    word, left = text.lower(), porter(text.lower())
    while not word.startswith(left):  # the stemmer may end a stem with a letter that the word does not have
        left = left[:-1]
    return word[len(left) :] or None


def initial(text: str) -> str | None:
    """The first character: `initial(tag)` puts NN, NNS and NNP together."""
    return text[:1] or None


def fullshape(text: str) -> str | None:
    """Character classes, one for each character: `Riata-2026` is `Xxxxx-dddd`."""
    return _character_classes(text)


def shape(text: str) -> str | None:
    """Character classes with runs shortened to two: `Riata-2026` is `Xxx-dd`."""
    return re.sub(r"(.)\1{2,}", r"\1\1", _character_classes(text))


def outline(text: str) -> str | None:
    """Character classes with runs shortened to one: `Riata-2026` is `Xx-d`."""
    return re.sub(r"(.)\1+", r"\1", _character_classes(text))


def case(text: str) -> str | None:
    """lower, upper, title, mixed, or none (no letters, or letters without case)."""
    if text.lower() == text.upper():
        return "none"
    if text.islower():
        return "lower"
    if text.isupper():
        return "upper"
    return "title" if text[0].isupper() and not any(c.isupper() for c in text[1:]) else "mixed"


def digit(text: str) -> str | None:
    """Whether there is a digit."""
    return "yes" if re.search(r"\d", text) else None


def digits(text: str) -> str | None:
    """Digits as 0, everything else as it is, for texts that have a digit: `1,200` is `0,000`."""
    return re.sub(r"\d", "0", text) if re.search(r"\d", text) else None


def hyphen(text: str) -> str | None:
    """Whether a hyphen stands inside the word."""
    return "yes" if "-" in text[1:-1] else None


def capitalised(text: str) -> str | None:
    """Whether the word is a capital and small letters, A to Z: `[A-Z][a-z]+` (Sutton et al. 2004, like the next three)."""
    return _whole(r"[A-Z][a-z]+", text)


def capital(text: str) -> str | None:
    """Whether the word is one capital, A to Z: `[A-Z]`."""
    return _whole(r"[A-Z]", text)


def allcaps(text: str) -> str | None:
    """Whether the word is capitals, A to Z: `[A-Z]+`."""
    return _whole(r"[A-Z]+", text)


def mixedcaps(text: str) -> str | None:
    """Whether the word is capitals, small letters, capitals and perhaps small letters: `[A-Z]+[a-z]+[A-Z]+[a-z]*`."""
    return _whole(r"[A-Z]+[a-z]+[A-Z]+[a-z]*", text)


def initialcase(text: str) -> str | None:
    """How a word begins: lower, upper, or alphanumeric (a digit, or a letter without case). Altun et al. 2003, like the next three."""
    first = text[:1]
    if first.islower() or first.isupper():
        return "lower" if first.islower() else "upper"
    return "alphanumeric" if first.isalnum() else None


def capitaldot(text: str) -> str | None:
    """Whether the word begins with a capital and contains a dot: `Mr.`, `U.S.`."""
    return "yes" if text[:1].isupper() and "." in text else None


def uppercase(text: str) -> str | None:
    """Whether the word has letters with case, and all of them are capitals: `IBM`, `AT&T`, `ÉCOLE`, `B-52`."""
    return "yes" if text.isupper() else None


def anyhyphen(text: str) -> str | None:
    """Whether there is a hyphen anywhere, also at the beginning or the end."""
    return "yes" if "-" in text else None


def prefix1(text: str) -> str | None:
    """The first character, of words longer than that (likewise prefix2 to prefix4)."""
    return _prefix(text, 1)


def prefix2(text: str) -> str | None:
    return _prefix(text, 2)


def prefix3(text: str) -> str | None:
    return _prefix(text, 3)


def prefix4(text: str) -> str | None:
    return _prefix(text, 4)


def suffix1(text: str) -> str | None:
    """The last character, of words longer than that (likewise suffix2 to suffix4)."""
    return _suffix(text, 1)


def suffix2(text: str) -> str | None:
    return _suffix(text, 2)


def suffix3(text: str) -> str | None:
    return _suffix(text, 3)


def suffix4(text: str) -> str | None:
    return _suffix(text, 4)


def _whole(expression: str, text: str) -> str | None:
    return "yes" if re.fullmatch(expression, text) else None


def _prefix(text: str, length: int) -> str | None:
    return text[:length] if len(text) > length else None


def _suffix(text: str, length: int) -> str | None:
    return text[-length:] if len(text) > length else None


class _Classes(dict[str, str]):
    """The class of a character, computed once, since words have few different characters."""

    def __missing__(self, c: str) -> str:
        self[c] = "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c
        return self[c]


_CLASSES = _Classes()


def _character_classes(text: str) -> str:
    return "".join(map(_CLASSES.__getitem__, text))


@cache
def builtin() -> Mapping[str, Attribute]:
    """All attributes of this file by name."""
    return {
        name: value
        for name, value in globals().items()
        if callable(value)
        and getattr(value, "__module__", None) == __name__
        and not name.startswith("_")
        and name not in ("builtin", "teach")
    }


BLOCK = 256
KNOWN, UPPER, SMALL, CHANGES, ALPHANUMERIC, DECIMAL = 1, 2, 4, 8, 16, 32  # as Letter of the core
SIGMA = "Σ"  # has two small letters
_taught: set[int] = set()


def teach(texts: Iterable[str]) -> None:
    """Teaches the core the blocks of all characters of these texts."""
    for block in {ord(c) // BLOCK for text in texts if not text.isascii() for c in text} - _taught:
        letters = [chr(block * BLOCK + i) for i in range(BLOCK)]
        lower = [ord(c.lower()) if len(c.lower()) == 1 else 0 for c in letters]
        shapes = [ord(_CLASSES[c]) for c in letters]
        flags = [_flags(c) for c in letters]
        teach_letters(block, *(np.array(numbers, np.int32) for numbers in (lower, shapes, flags)))
        _taught.add(block)


def _flags(c: str) -> int:
    if len(c.lower()) != 1 or c == SIGMA or c.istitle() != c.isupper():  # what depends on more than the character
        return 0
    return (
        KNOWN
        | UPPER * c.isupper()
        | SMALL * c.islower()
        | CHANGES * (c.lower() != c.upper())
        | ALPHANUMERIC * c.isalnum()
        | DECIMAL * c.isdecimal()
    )
