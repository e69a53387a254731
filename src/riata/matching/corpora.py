"""Pairs as a corpus: every possible link of a pair is the token of a sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.data.named_features import Given
from riata.errors import DataError
from riata.matching.counts import WordTable
from riata.matching.language import PairTemplate
from riata.matching.pairs import Link, LinkedPair, as_pairs
from riata.problems.parts import PartCorpora
from riata.problems.structure import OF_PART, Structure

MOST_CELLS = 4_000_000  # possible links of a pair
OwnFeatures = Callable[[LinkedPair, int, int], OF_PART]


class LinkStructure(Structure):
    """Links between the two sides of a pair."""

    solver = "matching"

    def __init__(
        self,
        *,
        fertility: int | tuple[int, int] = 1,
        costs: tuple[float, float] = (1.0, 1.0),
        template: PairTemplate | None = None,
        words: WordTable | None = None,
        own: OwnFeatures | None = None,
        width: int | None = None,
    ) -> None:
        self.fertility = fertility
        self.costs = costs  # of a link that is missed, and of one that is false
        self.template = template
        self.words = words  # what the template reads of pairs of words
        self.own = own  # features of one possible link
        self.width = width  # numbers of each possible link; None: pairs have no arrays

    @staticmethod
    def corpora(structure: LinkStructure) -> PairCorpora:
        return PairCorpora(structure)

    def parts(self, x: LinkedPair) -> list[Link]:
        forbidden, (rows, columns) = set(x.forbidden), x.shape
        cells = itertools.product(range(rows), range(columns))
        return [cell for cell in cells if cell not in forbidden] if forbidden else list(cells)

    def features(self, x: LinkedPair, part: Link) -> OF_PART:
        assert self.own is not None
        return self.own(x, *part)

    def given(self, x: LinkedPair) -> Iterable[Link]:
        return sorted(x.given)

    def parts_of(self, x: LinkedPair, y: Iterable[Link]) -> list[Link]:
        return [link for link in sorted(y) if link not in set(x.forbidden)]

    def output(self, x: LinkedPair, parts: list[Link]) -> list[Link]:
        return sorted(parts)

    def loss(self, x: Any, y: Any, part: Any) -> float:
        return self.costs[0] if part in y else self.costs[1]


def width_of(pair: LinkedPair) -> int | None:
    """How many numbers each possible link has."""
    return None if pair.values is None else int(np.shape(pair.values)[2])


def _kind(width: int | None) -> str:
    return "no values of links" if width is None else f"{width} values a link"


class PairCorpora(PartCorpora):
    """Features come from a template and from arrays of the pairs, or from a function of the user's."""

    structure: LinkStructure

    def inputs(self, X: Iterable[Any]) -> list[Any]:
        pairs = as_pairs(X)
        for n, pair in enumerate(pairs):
            rows, columns = pair.shape
            if rows * columns > MOST_CELLS:
                raise DataError(
                    f"X[{n}] has {rows:,} x {columns:,} possible links; expected at most {MOST_CELLS:,}.",
                    remedy="Split the pair; or score its links yourself, for riata.best_matching.",
                )
        template = self.structure.template
        for n, pair in enumerate(pairs):
            if self.structure.own is None and 0 not in pair.shape and (width := width_of(pair)) != self.structure.width:
                raise DataError(
                    f"X[{n}] has {_kind(width)}; the model reads {_kind(self.structure.width)}.",
                    remedy="Give every pair values of one kind, as in training.",
                )
            if missing := (set() if template is None else template.aligners - set(pair.others)):
                raise DataError(
                    f"X[{n}] has no links of the aligner {min(missing)!r}, which the template reads.",
                    remedy="Give them as `others` of every pair (of files: aligners=, --aligners).",
                )
        return pairs

    def _given(self, inputs: Sequence[Any], parts: list[list[Any]]) -> Given:
        if self.structure.own is not None:
            return super()._given(inputs, parts)
        names: dict[str, int] = {}
        found = [self._of_pair(x, names) for x in inputs]
        sizes, ids, values = (
            np.concatenate([np.empty(0), *(one[k] for one in found)]).astype(kind)
            for k, kind in enumerate((np.int64, np.int32, np.float32))
        )
        alphabet = Alphabet()
        alphabet.add_many(list(names))
        return Given(alphabet, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), ids, values)

    def _of_pair(self, x: LinkedPair, names: dict[str, int]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """How many features every part has, their numbers and their values."""
        cells, ids, values = [], [], []

        def add(of: NDArray[np.int64], value: NDArray[np.float64], named: NDArray[np.int64]) -> None:
            cells.append(of)
            ids.append(named)
            values.append(value)

        template = self.structure.template
        for text, number, texts, value in [] if template is None else template.features(x, self.structure.words):
            chosen = np.flatnonzero((value.ravel() != 0) & (number.ravel() >= 0))
            used, at = np.unique(number.ravel()[chosen], return_inverse=True)
            these = [names.setdefault(f"{text}={texts[k]}" if texts[k] else text, len(names)) for k in used]
            add(chosen, value.ravel()[chosen], np.array(these, np.int64)[at] if len(these) else np.empty(0, np.int64))
        if x.values is not None:
            table = np.asarray(x.values, np.float64)
            table = table.reshape(x.shape[0] * x.shape[1], table.shape[2])
            for column in range(table.shape[1]):
                chosen = np.flatnonzero(table[:, column])
                number_of = names.setdefault(f"values[{column}]", len(names))
                add(chosen, table[chosen, column], np.full(len(chosen), number_of))
        size = x.shape[0] * x.shape[1]
        cell = np.concatenate([np.empty(0, np.int64), *cells])
        order = np.argsort(cell, kind="stable")
        kept = np.ones(size, bool)
        kept[[i * x.shape[1] + j for i, j in x.forbidden]] = False
        order = order[kept[cell[order]]]
        sizes = np.bincount(cell[order], minlength=size)[kept]
        flat = np.concatenate([np.empty(0, np.int64), *ids]), np.concatenate([np.empty(0), *values])
        return sizes, flat[0][order], flat[1][order]
