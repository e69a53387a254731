"""Features that the user names and weighs: one dictionary per token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.data.texts import interned
from riata.errors import DataError

LARGEST = 1e9  # of a value: sums of updates must stay finite in single precision


@dataclass(frozen=True, eq=False)
class Given:
    """Named features with real values, token by token."""

    alphabet: Alphabet
    starts: NDArray[np.int64]  # [N + 1] where each token's features start
    ids: NDArray[np.int32]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Mapping[str, Any]]], name: str) -> Given:
        """From `list[list[dict]]`, read as sklearn-crfsuite reads it.

        A number is the feature's value, True is 1, False leaves the feature out, a string makes `key:string` with value 1,
        a list or set of strings makes one such feature each, and a nested dictionary has its keys joined with `:`.
        """
        names: list[str] = []
        values: list[float] = []
        starts = [0]
        for s, sentence in enumerate(sentences):
            for t, features in enumerate(sentence):
                if not isinstance(features, Mapping):
                    raise DataError(
                        f"sentence {s}, token {t} is {features!r}; expected a dictionary of features, as the first token is.",
                        file=name,
                    )
                for key, value in _flat(features):
                    number = _number(value)
                    if number is None:
                        raise DataError(
                            f"sentence {s}, token {t}: feature {key!r} has the value {value!r}; expected a finite number up to "
                            "1e9, a string, a bool, a list of strings or a dictionary.",
                            remedy="Leave the feature out where its value is unknown.",
                            file=name,
                        )
                    names.append(key)
                    values.append(number)
                starts.append(len(names))
        alphabet, ids = interned(names)
        return cls(alphabet, np.array(starts, np.int64), ids, np.array(values, np.float32))

    def take(self, tokens: NDArray[np.int64]) -> Given:
        lengths = np.diff(self.starts)[tokens]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.starts[:-1][tokens] - starts[:-1], lengths) + np.arange(starts[-1])
        return Given(self.alphabet, starts, self.ids[at], self.values[at])

    def joined(self, other: Given) -> Given:
        """The features of these tokens, then those of the other's."""
        alphabet = copy(self.alphabet)
        table = alphabet.add_all(other.alphabet)
        return Given(
            alphabet,
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.ids, table[other.ids]]),
            np.concatenate([self.values, other.values]),
        )


def _flat(features: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Names and what stands for their values; what is no number is for the caller to refuse."""
    for key, value in features.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}:")
        elif isinstance(value, str):
            yield f"{name}:{value}", 1.0
        elif isinstance(value, (bool, np.bool_)):
            if value:
                yield name, 1.0
        elif isinstance(value, (list, tuple, set, frozenset)):
            # Sets come in an order of their own on every run; the model must not depend on it.
            for item in sorted(map(str, value)) if isinstance(value, (set, frozenset)) else value:
                yield f"{name}:{item}", 1.0
        else:
            yield name, value


def _number(value: object) -> float | None:
    """The value as a number that the core can hold, or None."""
    try:
        number = float(value)  # type: ignore[arg-type]  # what float() refuses is not a number
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None
