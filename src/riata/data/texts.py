"""Strings into an alphabet, with an error a user can read where one of them is not text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.errors import DataError


def interned(texts: Sequence[str], where: Callable[[int], str] | None = None) -> tuple[Alphabet, NDArray[np.int32]]:
    """An alphabet of the texts, and the id of each. where: says in an error where a text stands."""
    alphabet = Alphabet()
    try:
        return alphabet, alphabet.add_many(list(texts))
    except TypeError:
        at, bad = next((i, text) for i, text in enumerate(texts) if not is_unicode(text))
        raise DataError(
            f"{'' if where is None else f'{where(at)}: '}the text {bad!r:.60} holds a lone surrogate, which no UTF-8 file can hold.",
            remedy='Decode the text with its own encoding, and not with errors="surrogateescape".',
        ) from None


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
