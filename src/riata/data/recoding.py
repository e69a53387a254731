"""Whole corpora from one encoding to another, by label ids; and how the tags of two encodings answer each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from riata.data.encodings.base import OUTSIDE, Encoding, Writing
from riata.data.types import Column, Ids, Starts, interned

ROLES = 8  # of a token in a chunk: single, first, inside, last, and the same in a chunk that touches one of its type
TOUCHING = 4  # added to a role
LONGEST = 3  # tokens of a chunk in which every role occurs


@dataclass(frozen=True, eq=False)
class Recoder:
    """Ids of some labels in one encoding to ids of `labels`, which are those of another that they can become."""

    labels: list[str]
    table: Ids | None  # [L] where a label alone decides what it becomes
    _roles: Ids  # [L, ROLES] what it becomes by its role
    _types: NDArray[np.int64]  # [L] -1: outside
    _continuing: NDArray[np.bool_]  # [L] goes on with a chunk of its own type, if there is one before it

    @classmethod
    def of(cls, labels: Sequence[str], source: Encoding, target: Encoding) -> Recoder:
        """Labels that are no tags of the source stand for themselves, and count as outside."""
        at: dict[str, int] = {}
        types: dict[str, int] = {}
        roles = np.empty((len(labels), ROLES), np.int32)
        kinds = np.full(len(labels), -1, np.int64)
        continuing = np.zeros(len(labels), np.bool_)
        answers = answering(source, target)
        for i, label in enumerate(labels):
            if label == OUTSIDE or not source.is_tag(label):
                roles[i] = at.setdefault(label, len(at))
                continue
            prefix, type_ = source.split(label)
            kinds[i] = types.setdefault(type_, len(types))
            continuing[i] = prefix in (source.touching.inside, source.touching.last)
            of = {answer: at.setdefault(target.tag(answer, type_), len(at)) for answer in answers[prefix]}
            # A role that the label never has in legal tags falls to the first that it has.
            roles[i] = [of.get(answer, of[answers[prefix][0]]) for answer in (*target.chunk, *target.touching)]
        decided = (roles == roles[:, :1]).all() if len(labels) else True
        return cls(list(at), roles[:, 0].copy() if decided else None, roles, kinds, continuing)

    def ids(self, ids: Ids, starts: Starts) -> Ids:
        """ids: [N] of legal sequences. starts: [S + 1]; sentences may be empty."""
        if self.table is not None:
            return self.table[ids]
        border = np.zeros(len(ids) + 1, np.bool_)  # whether a sentence starts at a token
        border[starts] = True
        types = self._types[ids]
        inside = types >= 0
        after_its_type = np.zeros(len(ids), np.bool_)
        after_its_type[1:] = inside[1:] & (types[1:] == types[:-1]) & ~border[1:-1]
        goes_on = after_its_type & self._continuing[ids]
        first = inside & ~goes_on
        last = inside & ~np.append(goes_on[1:], False)
        role = np.where(first, np.where(last, 0, 1), np.where(last, 3, 2))
        chunk = np.cumsum(first) - 1  # of tokens outside: any
        touching = np.append(after_its_type[first], False)[chunk]
        found: Ids = self._roles[ids, role + TOUCHING * (touching & inside)]
        return found

    def column(self, ids: Ids, starts: Starts) -> Column:
        return Column(interned(self.labels)[0], self.ids(ids, starts))


@cache
def answering(source: Encoding, target: Encoding) -> dict[str, tuple[str, ...]]:
    """The prefixes of the target that each prefix of the source can become, in the order of the target."""
    pairs = {
        pair
        for read, write in ((source.chunk, target.chunk), (source.touching, target.touching))
        for pair in _pairs(read, write)
    }
    return {prefix: tuple(p for p in target.prefixes if (prefix, p) in pairs) for prefix in source.prefixes}


def _pairs(read: Writing, write: Writing) -> list[tuple[str, str]]:
    return [
        pair
        for length in range(1, LONGEST + 1)
        for pair in zip(read.prefixes(length), write.prefixes(length), strict=True)
    ]
