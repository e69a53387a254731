"""What a bitext, pairs of sentences without links, says of pairs of words: Dice's coefficient, and Model 1 (Brown et al. 1993).

In training, Model 1 prefers the diagonal (Dyer, Chahuneau & Smith 2013). Differs: its tension is fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata.errors import ModelFileError
from riata.models.container import Arrays
from riata.models.parts import read_alphabet, read_array, store_texts

ROUNDS = 5  # of expectation maximisation
TENSION, ALONE = 4.0, 0.08  # how much words keep to the diagonal, and how probable it is that a word comes from none
LEAST_DICE, LEAST_MODEL1 = 0.05, 0.005  # pairs of words below both are not kept
SIDES = "source", "target"
VALUES = "dice", "forward", "backward"  # forward: P(target word | source word)

Values = NDArray[np.float64]


def form(word: str) -> str:
    """What words are counted by."""
    return word.lower().replace("\u2019", "'")


@dataclass(frozen=True, eq=False)
class WordTable:
    """Values of pairs of words, in lower case. keys: rising, source word * number of target words + target word."""

    words: tuple[dict[str, int], dict[str, int]]
    keys: NDArray[np.int64]
    values: tuple[NDArray[np.float32], ...]  # as VALUES names them

    def of(self, source: Sequence[str], target: Sequence[str]) -> dict[str, Values]:
        """[source, target] tables of values; 0 for pairs that are not known."""
        ids = [
            np.array([known.get(word, -1) for word in words], np.int64)
            for known, words in zip(self.words, (source, target), strict=True)
        ]
        key = ids[0][:, None] * len(self.words[1]) + ids[1][None, :]
        key[(ids[0] < 0)[:, None] | (ids[1] < 0)[None, :]] = -1
        at = np.minimum(np.searchsorted(self.keys, key), max(len(self.keys) - 1, 0))
        known = self.keys[at] == key if len(self.keys) else np.zeros(key.shape, bool)
        found = [value[at] if len(value) else np.zeros(key.shape) for value in self.values]
        return {name: np.where(known, value, 0.0).astype(np.float64) for name, value in zip(VALUES, found, strict=True)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> WordTable:
        sides = [read_alphabet(arrays, f"words/{side}").texts() for side in SIDES]
        words = [{text: number for number, text in enumerate(texts)} for texts in sides]
        keys = read_array(arrays, "words/keys").astype(np.int64)
        values = tuple(read_array(arrays, f"words/{name}", real=True).astype(np.float32) for name in VALUES)
        fits = all(len(value) == len(keys) and np.isfinite(value).all() for value in values)
        if (
            not fits
            or (np.diff(keys) <= 0).any()
            or (len(keys) and not 0 <= keys[0] <= keys[-1] < len(words[0]) * len(words[1]))
        ):
            raise ModelFileError("what the model knows of words is inconsistent")
        return cls((words[0], words[1]), keys, values)

    def to_arrays(self) -> Arrays:
        arrays: Arrays = {"words/keys": self.keys}
        for name, value in zip(VALUES, self.values, strict=True):
            arrays[f"words/{name}"] = value
        for side, words in zip(SIDES, self.words, strict=True):
            store_texts(arrays, f"words/{side}", list(words))
        return arrays


def learnt(bitext: Iterable[tuple[Sequence[str], Sequence[str]]]) -> WordTable:
    """The values of all pairs of words that occur together."""
    words: tuple[dict[str, int], dict[str, int]] = ({}, {})
    pairs = []
    for sides in bitext:
        ids = [
            np.array([known.setdefault(form(word), len(known)) for word in side], np.int64)
            for known, side in zip(words, sides, strict=True)
        ]
        if all(map(len, ids)):
            pairs.append(ids)
    wide = max(len(words[1]), 1)
    if not pairs:
        return WordTable(words, np.empty(0, np.int64), (np.empty(0, np.float32),) * 3)
    cells = np.concatenate([(s[:, None] * wide + t[None, :]).ravel() for s, t in pairs])
    keys, cell = np.unique(cells, return_inverse=True)
    source, target = np.divmod(keys, wide)
    dice, together = _dice(pairs, keys, wide)
    shapes = np.array([(len(s), len(t)) for s, t in pairs])
    sizes = shapes.prod(axis=1)
    inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    of_row, of_column = np.divmod(inside, np.repeat(shapes[:, 1], sizes))  # places of cells in their pairs
    rows, columns = (
        np.repeat(np.cumsum(shapes[:, k]) - shapes[:, k], sizes) + of for k, of in enumerate((of_row, of_column))
    )
    apart = np.abs((of_row + 0.5) / np.repeat(shapes[:, 0], sizes) - (of_column + 0.5) / np.repeat(shapes[:, 1], sizes))
    near = np.exp(-TENSION * apart)
    forward = _model1(cell, near, source, columns, len(words[0]), np.concatenate([t for _, t in pairs]))
    backward = _model1(cell, near, target, rows, len(words[1]), np.concatenate([s for s, _ in pairs]))
    kept = ((dice >= LEAST_DICE) & (together > 1)) | (forward >= LEAST_MODEL1) | (backward >= LEAST_MODEL1)
    return WordTable(words, keys[kept], tuple(value[kept].astype(np.float32) for value in (dice, forward, backward)))


def _dice(pairs: Sequence[Sequence[NDArray[np.int64]]], keys: NDArray[np.int64], wide: int) -> tuple[Values, Values]:
    """2 x pairs with both words / (pairs with the one + pairs with the other); and the pairs with both."""
    types = [(np.unique(s), np.unique(t)) for s, t in pairs]
    both = np.concatenate([(s[:, None] * wide + t[None, :]).ravel() for s, t in types])
    together = np.bincount(np.searchsorted(keys, both), minlength=len(keys)).astype(np.float64)
    alone = [np.bincount(np.concatenate(of)) for of in zip(*types, strict=True)]
    source, target = np.divmod(keys, wide)
    return 2 * together / (alone[0][source] + alone[1][target]), together


def _model1(
    cell: NDArray[np.int64],
    near: Values,
    given: NDArray[np.int64],
    place: NDArray[np.int64],
    size: int,
    words: NDArray[np.int64],
) -> Values:
    """P(word | given word) of pairs, by expectation maximisation. Every word may also come from no word.

    cell: the pair of words of every cell; near: how near the diagonal it is; place: the word of the text that it is of; given: the given
    word of every pair; words: of the text.
    """
    near = (1 - ALONE) * near / np.bincount(place, near, minlength=len(words))[place]
    chance = np.full(len(given), 1.0)
    of_none = np.full(int(words.max()) + 1, 1.0)
    for _ in range(ROUNDS):
        share, alone = near * chance[cell], ALONE * of_none[words]
        all_ways = np.bincount(place, share, minlength=len(words)) + alone
        expected = np.bincount(cell, share / all_ways[place], minlength=len(given))
        total = np.bincount(given, expected, minlength=size)
        chance = expected / np.maximum(total, 1e-300)[given]
        expected_alone = np.bincount(words, alone / all_ways, minlength=len(of_none))
        of_none = expected_alone / expected_alone.sum()
    return chance
