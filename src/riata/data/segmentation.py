"""Chunk labels as labelled segments and back: segments tile a sentence, and a token outside chunks is one of its own.

A segment is written at its first token as its code, (length - 1) x types + type; all its other tokens hold -1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.types import Ids, Span, Starts
from riata.errors import UnsupportedError


@dataclass(frozen=True)
class Segmentation:
    """How the chunks of these types are written in an encoding. Plain labels have none: each token is a segment."""

    types: tuple[str, ...]  # of segments; OUTSIDE is among those of chunks
    encoding: Encoding | None

    @classmethod
    def of(cls, counts: Mapping[str, int], encoding: Encoding | None) -> Segmentation:
        """The types of these tags, most frequent first, so that ties fall to the frequent ones."""
        totals: dict[str, int] = {} if encoding is None else {OUTSIDE: 0}
        for tag, count in counts.items():
            kind = _type(encoding, tag)
            totals[kind] = totals.get(kind, 0) + count
        return cls(tuple(sorted(totals, key=lambda kind: (-totals[kind], kind))), encoding)

    @property
    def outside(self) -> int:
        """The number of OUTSIDE; -1 where there is none."""
        return -1 if self.encoding is None else self.types.index(OUTSIDE)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Every tag that chunks of these types can have."""
        return tuple(dict.fromkeys(self._written.ravel().tolist()))

    @cached_property
    def _written(self) -> NDArray[np.str_]:
        """[types, touching, single | first | inside | last] the tag of a token of a chunk."""
        return np.array([[self._tags(kind, touching) for touching in (False, True)] for kind in self.types])

    @cached_property
    def tag_table(self) -> Ids:
        """[types, touching, single | first | inside | last] the tag of a token of a chunk, as an index of `tags`."""
        at = {tag: i for i, tag in enumerate(self.tags)}
        found: Ids = np.vectorize(at.__getitem__, otypes=[np.int32])(self._written)
        return found

    def role_sets(self, sets: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Sets of tags, as flags [M, tags], as sets of what a token is of a segment of each type: [M, types x (single, first,
        inside, last)].
        """
        alone, touching = sets[:, self.tag_table[:, 0]], sets[:, self.tag_table[:, 1]]
        if (alone != touching).any():
            assert self.encoding is not None
            raise UnsupportedError(
                f"In {self.encoding.name.upper()} the tag of a chunk depends on the chunk before, so a given tag "
                "does not say where segments begin.",
                remedy="Use structure='chain', or train on data in iob2.",
            )
        found: NDArray[np.uint8] = np.ascontiguousarray(alone.reshape(len(sets), self.tag_table[:, 0].size))
        return found

    def _tags(self, kind: str, touching: bool) -> list[str]:
        if kind == OUTSIDE or self.encoding is None:
            return [kind] * 4
        before = [Span(0, 1, kind)] * touching
        one, three = (
            self.encoding.encode([*before, Span(touching, touching + size, kind)], touching + size)[touching:]
            for size in (1, 3)
        )
        return [*one, *three]

    def type_of(self, tag: str) -> str:
        """The type of a tag; a type is its own."""
        return tag if tag in self.types else _type(self.encoding, tag)

    def codes(self, tags: tuple[str, ...], ids: Ids, starts: Starts) -> Ids:
        """The segments of legal tags. tags: the text of each id."""
        at = {kind: i for i, kind in enumerate(self.types)}
        kinds = np.array([at.get(_type(self.encoding, tag), -1) for tag in tags] or [0], np.int32)[ids]
        begins = np.ones(len(ids), bool)
        if self.encoding is not None and tags:
            goes_on = np.array([[self.encoding.continues(a, b) for b in tags] for a in tags], bool)
            begins[1:] = ~goes_on[ids[:-1], ids[1:]]
        begins[starts[:-1][starts[:-1] < starts[1:]]] = True
        first = np.flatnonzero(begins)
        codes = np.full(len(ids), -1, np.int32)
        lengths = np.diff(np.append(first, len(ids)))
        codes[first] = (lengths - 1) * len(self.types) + kinds[first]
        return codes

    def longest(self, codes: Ids) -> int:
        """Of these segments, the tokens of the longest; at least 1."""
        return int(codes.max(initial=0)) // len(self.types) + 1

    def tag_ids(self, codes: Ids, starts: Starts) -> Ids:
        """Of every token the tag, as an index of `tags`."""
        first = np.flatnonzero(codes >= 0)
        lengths, kinds = codes[first] // len(self.types) + 1, codes[first] % len(self.types)
        touching = np.zeros(len(first), bool)
        touching[1:] = kinds[1:] == kinds[:-1]
        touching[np.searchsorted(first, starts[:-1][starts[:-1] < starts[1:]])] = False
        within = np.arange(len(codes)) - np.repeat(first, lengths)
        total = np.repeat(lengths, lengths)
        part = np.where(total == 1, 0, np.where(within == 0, 1, np.where(within == total - 1, 3, 2)))
        found: Ids = self.tag_table[np.repeat(kinds, lengths), np.repeat(touching, lengths).astype(np.int64), part]
        return found


def _type(encoding: Encoding | None, tag: str) -> str:
    return tag if tag == OUTSIDE or encoding is None else encoding.split(tag)[1]
