"""Files of pairs and links: tables with a line per pair, Pharaoh lines, and pairs of token lines."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from riata.errors import DataError, printed
from riata.matching.pairs import NONE, Link, LinkedPair, Links

LINK = re.compile(r"(\d+)([-p?])(\d+)")
MOST_DIGITS = 9
SEPARATOR = " ||| "  # between source and target, as fast_align reads them


def parsed(text: str, where: str) -> tuple[Links, Links]:
    """The sure and the possible links of a text: `0-0 1-2 3p3`; `3?3` is possible too."""
    sure: set[Link] = set()
    possible: set[Link] = set()
    for item in text.split():
        found = LINK.fullmatch(item)
        if found is None or len(item) > 2 * MOST_DIGITS:
            raise DataError(
                f"{where}: {printed(item):.40} is no link.", remedy="Links are i-j (sure) or ipj (possible), from 0."
            )
        (sure if found[2] == "-" else possible).add((int(found[1]), int(found[3])))
    return frozenset(sure), frozenset(possible - sure)


def written(links: Iterable[tuple[int, int]]) -> str:
    """Links as a Pharaoh line."""
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def lines_of(path: str | Path) -> list[str]:
    """The lines of a file in UTF-8; plain or .gz."""
    try:
        content = Path(path).read_bytes()
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"the file is not UTF-8: {error.reason}.", file=path) from None
    except (OSError, EOFError) as error:
        raise DataError(f"the file cannot be read: {error}.", file=path) from None
    return text.removeprefix("\ufeff").splitlines()


def read_pairs(
    path: str | Path,
    *,
    part: str | None = None,
    links: str | Path | None = None,
    others: str | Path | None = None,
    names: Sequence[str] = (),
) -> list[LinkedPair]:
    """Pairs of token lists from a file, with links if it has them.

    Columns are separated by tabs: part, number, source tokens, target tokens, links; or the last two or three of these. Links are `i-j`
    (sure) and `ipj` or `i?j` (possible), from 0. A file may also have lines `source ||| target`. part: only pairs of this part. links: a
    file of Pharaoh lines, one for each pair of the file. others: what other aligners have found, a line for each pair that is used: its
    number, and a column of links for each aligner; names: of these columns.

    >>> _ = open("pairs.tsv", "w").write("train\\t1\\tla maison\\tthe house\\t0-0 1-1\\n")
    >>> riata.read_pairs("pairs.tsv", part="train")
    [<LinkedPair of 2 and 2 elements, 2 sure links>]
    """
    return in_lines(path, part=part, links=links, others=others, names=names)[0]


def in_lines(
    path: str | Path,
    *,
    part: str | None = None,
    links: str | Path | None = None,
    others: str | Path | None = None,
    names: Sequence[str] = (),
) -> tuple[list[LinkedPair], list[str]]:
    """The same, and the line of each pair up to its links."""
    lines, given = lines_of(path), None if links is None else lines_of(links)
    if given is not None and len(given) != len(lines):
        raise DataError(f"there are {len(given)} lines of links for {len(lines)} pairs.", file=links)
    _check_four(lines, path)
    found, fronts, parts = [], [], set()
    for number, line in enumerate(lines, 1):
        pair, front, its_part = _pair(line, path, number)
        if given is not None:
            sure, possible = _located(given[number - 1], links, number)
            pair = replace(pair, sure=sure, possible=possible)
        _check_range(pair, path, number)
        parts.add(its_part)
        if part is None or its_part == part:
            found.append(pair)
            fronts.append(front)
    if part is not None and not found:
        known = ", ".join(sorted(repr(one) for one in parts if one is not None)) or "none"
        raise DataError(f"no pair is of the part {part!r}; the file has {known}.", file=path)
    return (found if others is None else with_others(found, others, names)), fronts


def with_others(pairs: Sequence[LinkedPair], path: str | Path, names: Sequence[str] = ()) -> list[LinkedPair]:
    """Pairs with the links that other aligners have found: columns of a file, whose first column is the number of the pair."""
    rows: dict[str, tuple[int, list[str]]] = {}
    for number, line in enumerate(lines_of(path), 1):
        name, *columns = line.split("\t")
        rows[name] = number, columns
    made = []
    for pair in pairs:
        if pair.name not in rows:
            raise DataError(f"there is no line for the pair {pair.name!r}.", file=path)
        number, columns = rows[pair.name]
        keys = list(names) or [str(n) for n in range(1, len(columns) + 1)]
        if len(keys) != len(columns):
            raise DataError(f"there are {len(columns)} columns of links for {len(keys)} names.", file=path, line=number)
        found = {key: _located(text, path, number)[0] for key, text in zip(keys, columns, strict=True)}
        for of in found.values():
            _check_range(LinkedPair(pair.source, pair.target, of), path, number)
        made.append(replace(pair, others={**pair.others, **found}))
    return made


def links_for(pairs: Sequence[LinkedPair], path: str | Path, part: str | None) -> list[Links]:
    """The links that a file gives to these pairs: a file of the same pairs, or one of Pharaoh lines."""
    lines = lines_of(path)
    if all(map(LINK.fullmatch, " ".join(lines).split())):
        found = [_located(line, path, number)[0] for number, line in enumerate(lines, 1)]
    else:
        known = in_lines(path, part=part)[0]
        found = [frozenset(pair.sure) for pair in known]
        for n, (one, other) in enumerate(zip(pairs, known, strict=False)):
            if one.shape != other.shape:
                raise DataError(
                    f"pair {n + 1} has {other.shape[0]} and {other.shape[1]} words; expected {one.shape[0]} and {one.shape[1]}.",
                    file=path,
                )
    if len(found) != len(pairs):
        raise DataError(f"there are links for {len(found)} pairs; expected {len(pairs)}.", file=path)
    return found


def _pair(line: str, path: str | Path, number: int) -> tuple[LinkedPair, str, str | None]:
    """A pair, its line up to the links, and its part."""
    mark = SEPARATOR if "\t" not in line and SEPARATOR in line else "\t"
    columns = line.split(mark)
    if not 2 <= len(columns) <= (3 if mark == SEPARATOR else 5):
        raise DataError(
            f"{len(columns)} columns; expected part, number, source, target and links, or the last of these.",
            remedy="Separate columns by tabs, and tokens by spaces.",
            file=path,
            line=number,
        )
    part, name, texts = None, str(number), columns
    if len(columns) >= 4:
        part, name, texts = columns[0], columns[1], columns[2:]
    elif len(columns) == 3 and not all(map(LINK.fullmatch, columns[2].split())):
        texts = columns[1:]  # the first is a name, such as that of a book
    sure, possible = _located(texts[2], path, number) if len(texts) == 3 else (NONE, NONE)
    front = mark.join(columns[: len(columns) - (len(texts) == 3)]) + mark
    return LinkedPair(tuple(texts[0].split()), tuple(texts[1].split()), sure, possible, name=name), front, part


def _check_four(lines: Sequence[str], path: str | Path) -> None:
    """Refuses number, source, target and links: of four columns, the first is the part, and the last is the target."""
    fours = [(number, columns) for number, line in enumerate(lines, 1) if len(columns := line.split("\t")) == 4]
    last = [item for _, columns in fours for item in columns[3].split()]
    if last and all(map(LINK.fullmatch, last)):
        raise DataError(
            "the last of four columns has links; expected part, number, source and target.",
            remedy="Leave out the number (source, target, links), or put the part before it.",
            file=path,
            line=fours[0][0],
        )


def _located(text: str, path: str | Path | None, number: int) -> tuple[Links, Links]:
    try:
        return parsed(text, "the column of links")
    except DataError as error:
        raise DataError(error.message, remedy=error.remedy, file=path, line=number) from None


def _check_range(pair: LinkedPair, path: str | Path, number: int) -> None:
    rows, columns = pair.shape
    for i, j in (*pair.sure, *pair.possible):
        if i >= rows or j >= columns:
            raise DataError(
                f"the link {i}-{j} leads out of {rows} and {columns} words.",
                remedy="Words are numbered from 0, those of the source first.",
                file=path,
                line=number,
            )
