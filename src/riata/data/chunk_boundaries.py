"""Where chunks start and end between two tags, malformed or not, as conlleval reads them (scoring/spans.py says how)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Ids, Span

_ALIASES = {"L": "E", "U": "S"}
OUTSIDE_PREFIXES = ("O", ".")  # the type rule does not hold for these
BORDER = ("O", "")
_ONE_TOKEN = ("S", "[", "]")
_END_PAIRS = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")}
_EXTENDED_STARTS = {("E", "B"), ("S", "B"), ("S", "I"), ("S", "E")}  # not in the script
_START_PAIRS = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I"), ("O", "E"), ("E", "E"), ("E", "I")} | _EXTENDED_STARTS
_CLASSIC_E_ENDS = {("E", "E"), ("E", "I"), ("E", "O")}
_BRACKETS = ("[", "]")


def split_tag(tag: str) -> tuple[str, str]:
    """Prefix and type: 'B-NP' is ('B', 'NP'), 'O' is ('O', ''); only the first hyphen counts. A type alone, as IO has it, counts as I."""
    return ("I", tag) if _is_type_alone(tag) else split_at_hyphen(tag)


def split_at_hyphen(tag: str) -> tuple[str, str]:
    """The same as conlleval has it, to which a type alone is a prefix."""
    prefix, _, type_ = tag.partition("-")
    return _ALIASES.get(prefix, prefix), type_


def are_types_alone(labels: Collection[str]) -> bool:
    """Whether these are O and types alone, and nothing else."""
    return "O" in labels and len(labels) > 1 and all(label == "O" or _is_type_alone(label) for label in labels)


def _is_type_alone(tag: str) -> bool:
    return len(tag.partition("-")[0]) > 1


def prefixes_end(before: str, after: str) -> bool:
    return before == "E" or before in _ONE_TOKEN or after == "S" or (before, after) in _END_PAIRS


def prefixes_start(before: str, after: str) -> bool:
    return after in _ONE_TOKEN or (before, after) in _START_PAIRS


def classic_end(before: str, after: str) -> bool:
    return before in _BRACKETS or (before, after) in _END_PAIRS | _CLASSIC_E_ENDS


def classic_start(before: str, after: str) -> bool:
    return after in _BRACKETS or (before, after) in _START_PAIRS - _EXTENDED_STARTS


def is_extended(labels: Iterable[str]) -> bool:
    """Whether the rules for BIOES and BILOU hold."""
    return any(label.partition("-")[0] in ("S", "L", "U") for label in labels)


@lru_cache(maxsize=1 << 16)
def _boundary(before: str, after: str, extended: bool) -> tuple[bool, bool]:
    """Whether a chunk ends, and whether one starts, between two tags."""
    (prefix, type_), (next_prefix, next_type) = split_tag(before), split_tag(after)
    differ = type_ != next_type
    ends, starts = (prefixes_end, prefixes_start) if extended else (classic_end, classic_start)
    return (
        ends(prefix, next_prefix) or (differ and prefix not in OUTSIDE_PREFIXES),
        starts(prefix, next_prefix) or (differ and next_prefix not in OUTSIDE_PREFIXES),
    )


def spans_of(tags: Sequence[str], *, extended: bool = True) -> list[Span]:
    """The chunks of one sentence, in order. A start closes what is still open. extended: the rules for BIOES hold."""
    spans: list[Span] = []
    start, before = -1, "O"
    for at, tag in enumerate(tags):
        ends, starts = _boundary(before, tag, extended)
        if start >= 0 and (ends or starts):
            spans.append(Span(start, at, split_tag(tags[start])[1]))
            start = -1
        if starts:
            start = at
        before = tag
    if start >= 0:
        spans.append(Span(start, len(tags), split_tag(tags[start])[1]))
    return spans


def chunk_flags(labels: Sequence[str]) -> tuple[Ids, NDArray[np.uint8]]:
    """Of each label the number of its type (-1: it is outside), [L]; and which goes on with the chunk of the one before it, [L * L]."""
    outside = [split_tag(label)[0] in OUTSIDE_PREFIXES for label in labels]
    types = [None if out else split_tag(label)[1] for label, out in zip(labels, outside, strict=True)]
    extended, flags = is_extended(labels), np.zeros((len(labels), len(labels)), np.uint8)
    for i, before in enumerate(labels):
        for j, label in enumerate(labels):
            if not outside[i] and not outside[j]:
                flags[i, j] = not any(_boundary(before, label, extended))
    numbers = [-1 if type_ is None else types.index(type_) for type_ in types]
    return np.array(numbers, np.int32), flags.ravel()
