"""Tokens that are lists of strings: columns, or names of features as python-crfsuite takes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from riata.errors import RiataWarning

SETS = (set, frozenset)  # have no order, so they cannot be columns
REMEDY = (
    "Columns: give tuples, all of one length. Names of features, as python-crfsuite takes them: "
    "riata.importing.items.from_strings(X) makes dictionaries of them."
)


def are_names(sentences: Sequence[Sequence[Any]]) -> bool:
    """Whether the tokens are lists of names, such as ["bias", "w=The", "pos:DT"], and not rows of columns.

    Sets are. Lists are if every token has a string with `=` or `:` inside, and the first string of every token is such a one, or is the
    same for all (`bias`): no column of words is so. Everything else is columns.
    """
    firsts: set[str] = set()  # those without a sign
    signed_firsts = False
    different: set[tuple[str, ...]] = set()  # tokens, two at most: of a single one, nothing is "the same for all"
    lengths: set[int] = set()
    for token in (token for sentence in sentences for token in sentence):
        if isinstance(token, SETS):
            return True
        if not isinstance(token, list) or not any(map(_has_sign, token)):
            return False
        if len(different) < 2:
            different.add(tuple(token))
        lengths.add(len(token))
        if _has_sign(token[0]):
            signed_firsts = True
        else:
            firsts.add(str(token[0]))
    if not firsts or (len(firsts) == 1 and not signed_firsts and len(different) > 1):
        return True
    if len(lengths) == 1:  # otherwise they are refused
        warnings.warn(
            f"Every token is a list with a string such as NAME=VALUE; they are read as columns, the first one as words. {REMEDY}",
            RiataWarning,
            stacklevel=2,
        )
    return False


def counted(names: Iterable[str]) -> dict[str, float]:
    """Names as a dictionary of features. A name that occurs twice counts twice; sets come in an order of their own on every run."""
    found: dict[str, float] = {}
    for name in sorted(names) if isinstance(names, SETS) else names:
        found[name] = found.get(name, 0.0) + 1.0
    return found


def _has_sign(text: object) -> bool:
    """Something, then = or :"""
    return isinstance(text, str) and ("=" in text[1:] or ":" in text[1:])
