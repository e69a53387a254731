"""Vectors of numbers, one per token: arrays of the user, which are borrowed and not copied, or rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, largest_value
from riata.errors import DataError

LARGEST = largest_value  # of a value
BLOCK = 4096  # tokens
Array = NDArray[np.float32] | NDArray[np.float16]


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """A vector per token. Number j of each is the value of the named feature names[j]."""

    arrays: tuple[Array, ...]  # [S] of [T, d], all float32 or all float16; or one table [V, d]
    names: tuple[str, ...]  # [d]
    of: NDArray[np.int32] | None = (
        None  # [N] the row of the table that each token has; None: there is an array per sentence
    )

    @classmethod
    def of_arrays(cls, sentences: Sequence[Any], name: str) -> TokenVectors:
        """From arrays [T, d] of numbers, one per sentence: column j is the feature `xj`. Arrays of float32 or float16 are not copied."""
        for s, sentence in enumerate(sentences):
            _check_kind(sentence, s, name)
        width = sentences[0].shape[1]
        if width == 0:
            raise DataError("the arrays have no columns; expected at least one number per token.", file=name)
        kind: Any = np.float16 if all(sentence.dtype == np.float16 for sentence in sentences) else np.float32
        arrays: list[Array] = []
        for s, sentence in enumerate(sentences):
            if sentence.shape[1] != width:
                raise DataError(
                    f"sentence {s} has {sentence.shape[1]} columns, sentence 0 has {width}; expected the same number.",
                    file=name,
                )
            with np.errstate(over="ignore"):  # what is too large is refused below
                array: Array = np.ascontiguousarray(sentence, kind)
            if not _is_finite(array):
                _refuse_value(sentence, s, name)
            arrays.append(array)
        return cls(tuple(arrays), tuple(f"x{j}" for j in range(width)))

    @property
    def width(self) -> int:
        return len(self.names)

    def take(self, sentences: NDArray[np.int64], tokens: NDArray[np.int64]) -> TokenVectors:
        """Those of some sentences, which have these tokens."""
        if self.of is not None:
            return replace(self, of=self.of[tokens])
        return replace(self, arrays=tuple(self.arrays[s] for s in sentences))

    def joined(self, other: TokenVectors) -> TokenVectors:
        """The vectors of these tokens, then those of the other's, which are of the same kind."""
        if self.of is not None and other.of is not None:
            return replace(self, of=np.concatenate([self.of, other.of]))
        arrays = (*self.arrays, *other.arrays)
        if len({array.dtype for array in arrays}) > 1:
            arrays = tuple(np.asarray(array, np.float32) for array in arrays)
        return replace(self, arrays=arrays)

    def rows(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of some tokens, [tokens, d]."""
        if self.of is not None:
            return np.asarray(self.arrays[0][self.of[tokens]], np.float32)
        lengths = np.array([len(array) for array in self.arrays])
        ends = np.cumsum(lengths)
        found = np.empty((len(tokens), self.width), np.float32)
        for k, (token, s) in enumerate(zip(tokens, np.searchsorted(ends, tokens, "right"), strict=True)):
            found[k] = self.arrays[s][token - ends[s] + lengths[s]]
        return found

    def blocks(self) -> Iterator[Array]:
        """The vectors of all tokens, a few at a time."""
        if self.of is None:
            yield from self.arrays
            return
        for low in range(0, len(self.of), BLOCK):
            yield self.arrays[0][self.of[low : low + BLOCK]]

    def enter(self, instances: Instances, ids: NDArray[np.int32], size: int) -> None:
        """Gives the vectors to looked-up sentences. ids: [d] the feature that each column is, -1 if training has not seen it."""
        known = np.flatnonzero(ids >= 0).astype(np.int32)
        instances.set_vectors(list(self.arrays), self.of, known, ids[known], size)


def is_array(sentence: object) -> bool:
    """Whether a sentence is an array of numbers (and not one of texts)."""
    return isinstance(sentence, np.ndarray) and sentence.dtype.kind in "biuf"


def _check_kind(sentence: Any, s: int, name: str) -> None:
    if not is_array(sentence) or sentence.ndim != 2:
        found = f"an array of shape {list(sentence.shape)}" if is_array(sentence) else f"a {type(sentence).__name__}"
        raise DataError(
            f"sentence {s} is {found}; expected an array of numbers of shape [T, d], as for all sentences.", file=name
        )
    if np.ma.is_masked(sentence):
        raise DataError(
            f"sentence {s} is an array with masked values, which mean nothing here.",
            remedy="Put a number where a value is unknown: array.filled(0), which scores nothing.",
            file=name,
        )


def _is_finite(array: Array) -> bool:
    """Whether all numbers are finite and not too large: from the sum of their squares, if that tells."""
    if array.dtype == np.float32:
        flat = array.ravel()
        if float(np.dot(flat, flat)) <= LARGEST**2:
            return True
    return not array.size or (float(array.min()) >= -LARGEST and float(array.max()) <= LARGEST)  # NaN is neither


def _refuse_value(array: NDArray[Any], s: int, name: str) -> None:
    t, j = (int(i) for i in np.argwhere(~(np.abs(array.astype(np.float64)) <= LARGEST))[0])
    raise DataError(
        f"sentence {s}, token {t}, column {j} is {array[t, j]}; expected a finite number up to {LARGEST:g}.",
        remedy="Put a number where a value is unknown (0 scores nothing), and scale large values.",
        file=name,
    )
