"""The features and weights that a model of segments needs: rows and n-grams without weight are left out, and the others renumbered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata._core import boundary_values
from riata.features.segments import SEQUENCES, SegmentProgram

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Pairs = tuple[Numbers, Numbers]


class Rows:
    """Rows of weights: the slot that each belongs to, and its distance from the root (native/features/grown_rows.hpp)."""

    def __init__(self, program: SegmentProgram, roots: Pairs, rows: Pairs) -> None:
        self.parents, self.values = rows
        self.roots = roots
        self.depth = np.ones(len(self.parents), np.int64)
        top = self.parents.copy()  # an ancestor of each row, until it is a root
        while (inner := top >= 0).any():  # as many times as the longest sequence has tokens
            self.depth += inner
            top[inner] = self.parents[top[inner]]
        self.root = -1 - top
        self.slot = roots[0][self.root]
        self.family = np.array(program.families, np.int64)[self.slot] if len(self.slot) else self.slot
        aside = np.array([SEQUENCES.get(template.role, -1) for template in program.slots], np.int64)
        self.aside = aside[self.slot] if len(self.slot) else self.slot

    @property
    def whole(self) -> Flags:
        """Whether each row stands for a feature, not only for the beginning of one."""
        return self.depth > 2 * np.maximum(self.aside, 0)

    def make_sense(self, code_limits: Sequence[int], size: Callable[[int], int]) -> bool:
        """Whether only sequences have longer rows, codes are possible for their templates, and n-grams exist."""
        sizes = np.array([size(f) for f in range(int(self.family.max(initial=-1)) + 1)], np.int64)
        known = self.family < 0
        known[~known] = self.values[~known] < sizes[self.family[~known]]
        codes_fit = (self.roots[1] < np.array(code_limits, np.int64)[self.roots[0]]).all()
        return bool(codes_fit and known.all() and (self.depth[self.aside < 0] == 1).all())

    def needed(self, heavy: Flags) -> Flags:
        """Rows that have weights, and all their ancestors."""
        keep = heavy.copy()
        while True:
            above = self.parents[keep]
            above = above[above >= 0]
            if keep[above].all():
                return keep
            keep[above] = True


@dataclass(frozen=True)
class Pruned:
    families: Sequence[Pairs]
    roots: Pairs
    rows: Pairs
    values: Sequence[Numbers]  # for each attribute, the ids in its alphabet that are kept
    weights: NDArray[np.float32]  # [rows, width]


def pruned(
    program: SegmentProgram, families: Sequence[Pairs], roots: Pairs, rows: Pairs, weights: NDArray[np.float32]
) -> Pruned:
    """weights: [rows, width]."""
    found = Rows(program, roots, rows)
    keep_rows = found.needed((weights != 0).any(axis=1))
    keep: list[Flags] = []
    for f, (parents, _) in enumerate(families):
        needed: Flags = np.zeros(len(parents), bool)
        needed[found.values[keep_rows & (found.family == f)]] = True
        keep.append(needed)
    for f in reversed(range(len(families))):  # a family comes after its parent
        above = program.program.families[f][0]
        if above >= 0:
            keep[above][families[f][0][keep[f]]] = True
    used = [np.zeros(boundary_values, bool) for _ in program.program.attributes]
    for f, (_, values) in enumerate(families):
        a = program.program.families[f][1]
        used[a] = _with(used[a], values[keep[f]])
    new_value = [_numbers(np.concatenate([np.ones(boundary_values, bool), one[boundary_values:]])) for one in used]
    new_ngram = [_numbers(flags) for flags in keep]
    out: list[Pairs] = []
    for f, (parents, values) in enumerate(families):
        above, a, _ = program.program.families[f]
        mine = parents[keep[f]]
        out.append((mine if above < 0 else new_ngram[above][mine], new_value[a][values[keep[f]]]))
    keep_roots = np.zeros(len(roots[0]), bool)
    keep_roots[: len(program.slots)] = True
    keep_roots[found.root[keep_rows]] = True
    return Pruned(
        out,
        (roots[0][keep_roots], roots[1][keep_roots]),
        _renumbered(found, keep_rows, keep_roots, new_ngram),
        [np.flatnonzero(one[boundary_values:]) for one in used],
        weights[keep_rows],
    )


def _with(flags: Flags, values: Numbers) -> Flags:
    """The flags, also set at these values."""
    out = np.zeros(max(len(flags), int(values.max(initial=0)) + 1), bool)
    out[: len(flags)] = flags
    out[values] = True
    return out


def _numbers(flags: Flags) -> Numbers:
    """The new numbers of what is kept."""
    return np.cumsum(flags, dtype=np.int64) - 1


def _renumbered(rows: Rows, keep: Flags, keep_roots: Flags, new_ngram: Sequence[Numbers]) -> Pairs:
    values = rows.values.copy()
    for f, numbers in enumerate(new_ngram):
        mine = keep & (rows.family == f)
        values[mine] = numbers[values[mine]]
    parents = rows.parents[keep].astype(np.int64)
    first = parents < 0
    parents[first] = -1 - _numbers(keep_roots)[-1 - parents[first]]
    parents[~first] = _numbers(keep)[parents[~first]]
    return parents, values[keep]
