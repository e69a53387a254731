"""The best links between two sets, for scores that users give as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import _core
from riata.errors import DataError, SettingError, printed
from riata.inference.arrays import LARGEST, Scores, check_scores, scores
from riata.inference.chain import K

Links = NDArray[np.int64]  # [links, 2]: row and column
MOST_LINKS = 1_000_000  # of one element


def best_matching(table: Any, *, fertility: int | tuple[int, int] = 1, given: Iterable[tuple[int, int]] = ()) -> Links:
    """The links between rows and columns with the largest sum of scores: [links, 2].

    table: [rows, columns]; minus infinity forbids a link. A row or a column may stay alone, so links of negative score are never chosen,
    and tables need not be square. fertility: how many links a row, and a column, may have; two numbers if they differ. given: links that
    are to be chosen.

    >>> riata.best_matching([[3, 2], [2.5, 0]]).tolist()
    [[0, 1], [1, 0]]
    >>> riata.best_matching([[3, 2], [2.5, 0]], fertility=(2, 1), given=[(0, 0)]).tolist()
    [[0, 0], [0, 1]]
    """
    read, demanded = _table(table, "table"), list(given)
    if not demanded:
        return best_matchings([read], fertility=fertility)[0]
    [(links, _)] = matching_kbest(read, 1, fertility=fertility, given=demanded)
    return links


def best_matchings(tables: Iterable[Any], *, fertility: int | tuple[int, int] = 1) -> list[Links]:
    """best_matching of many tables, in one call of the core.

    >>> [links.tolist() for links in riata.best_matchings([[[1, 2]], [[-1], [3]]])]
    [[[0, 1]], [[1, 0]]]
    """
    whole = scores(tables, "tables") if isinstance(tables, np.ndarray) and tables.ndim == 3 else None
    read = [scores(table, f"tables[{n}]") for n, table in enumerate(tables)] if whole is None else list(whole)
    for n, table in enumerate(read):
        if table.ndim != 2:
            _table(table, f"tables[{n}]")
    for table in read if whole is None else [whole]:
        if table.size and not table.max() <= LARGEST:  # nor is NaN
            check_scores(table, "tables")
    found, ends = _core.best_links(read, *rooms(fertility))
    bounds = [0, *ends.tolist()]
    columns = np.repeat([max(table.shape[1], 1) for table in read], np.diff(bounds)).astype(np.int64)
    links = np.stack(np.divmod(found.astype(np.int64), columns), axis=1)
    return [links[low:high] for low, high in itertools.pairwise(bounds)]


def matching_kbest(
    table: Any, k: int, *, fertility: int | tuple[int, int] = 1, given: Iterable[tuple[int, int]] = ()
) -> list[tuple[Links, float]]:
    """The k best matchings with the sums of their scores, best first; fewer if there are fewer. See best_matching.

    >>> [(links.tolist(), score) for links, score in riata.matching_kbest([[3, 2], [2.5, 1]], 2)]
    [([[0, 1], [1, 0]], 4.5), ([[0, 0], [1, 1]], 4.0)]
    """
    read = _table(table, "table")
    found = _set(read, fertility, given).best(read.ravel(), int(K.parse(k)))
    return [
        (np.stack(np.divmod(np.array(parts, np.int64), max(read.shape[1], 1)), axis=1), score) for parts, score in found
    ]


def matching_posteriors(table: Any, *, given: Iterable[tuple[int, int]] = ()) -> tuple[float, Scores]:
    """log Z over all one-to-one matchings, and the probability of every link, [rows, columns].

    Z is a permanent, which is #P-complete: no algorithm is known that is not exponential. With more than 12 rows and columns it is refused.

    >>> log_z, links = riata.matching_posteriors([[0.0, 0.0]])
    >>> round(float(np.exp(log_z)), 6), links.round(6).tolist()
    (3.0, [[0.333333, 0.333333]])
    """
    read = _table(table, "table")
    log_z, shares = _set(read, 1, given, sums=True).sums(read.ravel())
    return log_z, shares.reshape(read.shape)


def rooms(fertility: Any) -> tuple[int, int]:
    """How many links an element of the one set and one of the other may have."""
    both = fertility if isinstance(fertility, (tuple, list)) else (fertility, fertility)
    if len(both) != 2 or not all(type(one) is int and 1 <= one <= MOST_LINKS for one in both):
        raise SettingError(
            f"fertility is {printed(fertility):.40}; expected how many links an element may have: a number from 1, or two of them."
        )
    return both[0], both[1]


def _table(given: Any, name: str) -> Scores:
    read = scores(given, name)
    if read.ndim != 2:
        raise DataError(f"{name} has the shape {read.shape}; expected [rows, columns].")
    check_scores(read, name)
    return read


def _set(
    table: Scores, fertility: int | tuple[int, int], given: Iterable[tuple[int, int]], *, sums: bool = False
) -> _core.Matching:
    rows, columns = table.shape
    cells = np.indices(table.shape, np.int32).reshape(2, -1)
    links = [_number(link, rows, columns) for link in given]
    if len(set(links)) < len(links):
        raise DataError("given has a link twice.")
    rows_of, columns_of = (
        np.full(count, most, np.int32) for count, most in zip(table.shape, rooms(fertility), strict=True)
    )
    return _core.Matching(cells[0], cells[1], rows_of, columns_of, np.array(links, np.int32), sums)


def _number(link: Sequence[int], rows: int, columns: int) -> int:
    try:
        row, column = (int(end) for end in link)
    except (TypeError, ValueError):
        raise DataError(f"given has {printed(link):.40}; expected a pair of a row and a column.") from None
    if not (0 <= row < rows and 0 <= column < columns):
        raise DataError(
            f"given has the link ({row}, {column}), which leads out of a table of {rows} rows and {columns} columns."
        )
    return row * columns + column
