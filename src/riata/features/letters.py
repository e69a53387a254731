"""What Python knows of characters, for the core: it then computes attributes of texts with them by itself."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from riata._core import teach_letters
from riata.features.attributes import character_class

BLOCK = 256
KNOWN, UPPER, SMALL, CHANGES, ALPHANUMERIC, DECIMAL = 1, 2, 4, 8, 16, 32  # as Letter of the core
SIGMA = "Σ"  # has two small letters
_taught: set[int] = set()


def teach(texts: Iterable[str]) -> None:
    """Teaches the core the blocks of all characters of these texts."""
    for block in {ord(c) // BLOCK for text in texts if not text.isascii() for c in text} - _taught:
        letters = [chr(block * BLOCK + i) for i in range(BLOCK)]
        lower = [ord(c.lower()) if len(c.lower()) == 1 else 0 for c in letters]
        shapes = [ord(character_class(c)) for c in letters]
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
