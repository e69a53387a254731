"""Pairs of sets, such as a sentence and its translation, with the links between their elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import index
from typing import Any

import numpy as np

from riata.errors import DataError, printed

Link = tuple[int, int]
Links = frozenset[Link]
NONE: Links = frozenset()
NAME = re.compile(r"[\w-]+")  # of an aligner


@dataclass(frozen=True)
class LinkedPair:
    """Two sets, and links between their elements, which are numbered from 0.

    source, target: the elements, such as words. sure: the true links; possible: others that are not wrong either. given: links that are to
    be predicted; forbidden: those that are not. others: links that other aligners have found, by name; templates read them. values: an
    array [source, target, d] of numbers of each possible link, which are features.

    >>> riata.LinkedPair(["la", "maison"], ["the", "house"], sure={(0, 0), (1, 1)}).sure == {(0, 0), (1, 1)}
    True
    """

    source: Sequence[Any]
    target: Sequence[Any]
    sure: Iterable[Link] = NONE
    possible: Iterable[Link] = NONE
    given: Iterable[Link] = NONE
    forbidden: Iterable[Link] = NONE
    others: Mapping[str, Iterable[Link]] = field(default_factory=dict)
    values: Any = None
    name: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.source), len(self.target)

    def __repr__(self) -> str:
        return f"<LinkedPair of {self.shape[0]} and {self.shape[1]} elements, {len(set(self.sure))} sure links>"


def as_pairs(X: Iterable[Any], name: str = "X") -> list[LinkedPair]:
    """Pairs that are checked: every link is one of two numbers that there are. A tuple of two lists, or an array [n, m, d], is a pair."""
    if isinstance(X, (str, bytes, LinkedPair, Mapping)) or not isinstance(X, Iterable):
        raise DataError(f"{name} is {printed(X):.60}; expected a list of pairs, each of two lists.")
    return [_checked(_as_pair(x, f"{name}[{n}]"), f"{name}[{n}]") for n, x in enumerate(X)]


def aligners_of(pairs: Sequence[LinkedPair]) -> list[str]:
    """The names of all other aligners whose links the pairs have."""
    names = sorted({name for pair in pairs for name in pair.others})
    for name in names:
        if not NAME.fullmatch(name):
            raise DataError(f"the name {name!r:.40} of an aligner has other characters than letters, digits, - and _.")
    return names


def with_links(pairs: Sequence[LinkedPair], Y: Iterable[Any] | None, name: str = "Y") -> list[LinkedPair]:
    """Pairs with these true links instead of their own. Y: of each pair the links, or a text of links (i-j sure, ipj possible)."""
    if Y is None:
        return list(pairs)
    from riata.matching.links import parsed

    outputs = list(Y)
    if len(outputs) != len(pairs):
        raise DataError(f"there are {len(pairs)} pairs in X, and links of {len(outputs)} in {name}.")
    found = []
    for n, (pair, y) in enumerate(zip(pairs, outputs, strict=True)):
        sure, possible = parsed(y, f"{name}[{n}]") if isinstance(y, str) else (y, NONE)
        found.append(_checked(replace(pair, sure=sure, possible=possible), f"{name}[{n}]"))
    return found


def check_linked(pairs: list[LinkedPair], purpose: str, file: str | None = None) -> list[LinkedPair]:
    """Refuses pairs of which none has a true link. purpose: what links are needed for."""
    if not any(pair.sure or pair.possible for pair in pairs):
        raise DataError(
            f"no pair has links {purpose}." if pairs else f"there is no pair {purpose}.",
            remedy="Give Y, or `sure` of each pair; in a file, links are the last column: 0-0 1-2.",
            file=file,
        )
    return pairs


def _as_pair(x: Any, name: str) -> LinkedPair:
    if isinstance(x, LinkedPair):
        return x
    if isinstance(x, np.ndarray) and x.ndim == 3:
        return LinkedPair(range(x.shape[0]), range(x.shape[1]), values=x)
    if isinstance(x, (tuple, list)) and len(x) == 2 and all(isinstance(side, (tuple, list, range)) for side in x):
        return LinkedPair(*x)
    raise DataError(
        f"{name} is {printed(x):.60}; expected a pair of two lists, an array [n, m, d], or a riata.LinkedPair.",
        remedy="Split texts into words: (text.split(), other.split()).",
    )


def _checked(pair: LinkedPair, name: str) -> LinkedPair:
    rows, columns = pair.shape

    def links(of: Iterable[Any], what: str) -> Links:
        found = set()
        if isinstance(of, (str, bytes)) or not isinstance(of, Iterable):
            raise DataError(f"{name}: {what} is {printed(of):.40}; expected a list of pairs of numbers.")
        for link in of:
            try:
                i, j = map(index, link)
            except (TypeError, ValueError):
                raise DataError(f"{name}: {what} has {printed(link):.40}; expected pairs of numbers.") from None
            if not (0 <= i < rows and 0 <= j < columns):
                raise DataError(
                    f"{name}: the link {i}-{j} of {what} leads out of {rows} and {columns} elements.",
                    remedy="Elements are numbered from 0.",
                )
            found.add((i, j))
        return frozenset(found)

    sure = links(pair.sure, "sure")
    given, forbidden = links(pair.given, "given"), links(pair.forbidden, "forbidden")
    made = replace(
        pair,
        sure=sure,
        possible=links(pair.possible, "possible") - sure,
        given=given,
        forbidden=forbidden,
        others={key: links(of, f"others[{key!r}]") for key, of in pair.others.items()},
    )
    if both := given & forbidden:
        i, j = min(both)
        raise DataError(f"{name}: the link {i}-{j} is given and forbidden.", remedy="Leave out one of them.")
    if pair.values is not None:
        values = np.asarray(pair.values, np.float64)
        if values.ndim != 3 or values.shape[:2] != (rows, columns) or not np.isfinite(values).all():
            raise DataError(
                f"{name}: values has the shape {values.shape}; expected finite numbers, [{rows}, {columns}, d]."
            )
    return made
