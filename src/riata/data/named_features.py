"""Features that the user weighs: one dictionary or list of names per token."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet, largest_value, most_items, read_dictionaries
from riata.data.types import interned
from riata.errors import DataError, RiataWarning, printed

DEEPEST = 100  # dictionaries within dictionaries
LARGEST = largest_value  # of a value
MOST_ITEMS = most_items  # of the dictionaries of one token
Features = Mapping[str, Any] | Iterable[str | bytes]  # of a token


@dataclass(frozen=True, eq=False)
class Given:
    """Named features with real values, token by token."""

    alphabet: Alphabet
    starts: NDArray[np.int64]  # [N + 1] where each token's features start
    ids: NDArray[np.int32]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Features]], name: str) -> Given:
        """From `list[list[dict]]`, read as sklearn-crfsuite reads it, or `list[list[list[str]]]`, names as python-crfsuite reads them.

        A number is the feature's value, True is 1, False leaves the feature out, a string makes `key:string` with value 1,
        a list or set of strings makes one such feature each (other items are refused), and a nested dictionary has its keys joined with
        `:`. A name in a list has the value 1, each time it occurs. Bytes are strings in UTF-8.
        """
        alphabet = Alphabet()
        found = read_dictionaries(sentences, alphabet) if type(sentences) is list else None
        return cls._closely(sentences, name) if found is None else cls(alphabet, *found)

    @classmethod
    def _closely(cls, sentences: Sequence[Sequence[Features]], name: str) -> Given:
        """The same of any kind of mapping and of value; says what is wrong."""
        names: list[str] = []
        values: list[float] = []
        starts = [0]
        for s, sentence in enumerate(sentences):
            for t, features in enumerate(sentence):
                if not isinstance(features, (Mapping, list, *SETS)):
                    raise DataError(
                        f"sentence {s}, token {t} is {printed(features):.60}; expected a dictionary of features or a list of names, as the "
                        "first token is.",
                        file=name,
                    )
                for key, value in _read(features, s, t, name):
                    number = _number(value)
                    if number is None:
                        raise DataError(
                            f"sentence {s}, token {t}: feature {key!r} has the value {printed(value):.60}; expected a finite number up to "
                            "1e9, a string, a bool, a list of strings or a dictionary.",
                            remedy="Leave the feature out where its value is unknown.",
                            file=name,
                        )
                    names.append(key)
                    values.append(number)
                starts.append(len(names))
        places = [f"sentence {s}, token {t}" for s, sentence in enumerate(sentences) for t in range(len(sentence))]
        alphabet, ids = interned(names, lambda name: places[bisect_right(starts, name) - 1])
        return cls(alphabet, np.array(starts, np.int64), ids, np.array(values, np.float32))

    def take(self, tokens: NDArray[np.int64]) -> Given:
        lengths = np.diff(self.starts)[tokens]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.starts[:-1][tokens] - starts[:-1], lengths) + np.arange(starts[-1])
        return replace(self, starts=starts, ids=self.ids[at], values=self.values[at])

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


def _read(features: Features, s: int, t: int, name: str) -> list[tuple[str, object]]:
    """What the dictionary or list of a token holds; a DataError names the token, whatever is wrong."""
    try:
        if isinstance(features, Mapping):
            return list(_flat(features))
        return [(text, 1.0) for text in _texts(features, "", count(1))]
    except DataError as error:
        raise DataError(f"sentence {s}, token {t}: {error.message}", remedy=error.remedy, file=name) from None


def _flat(
    features: Mapping[str, Any], prefix: str = "", depth: int = 1, items: Iterator[int] | None = None
) -> Iterator[tuple[str, object]]:
    """Names and what stands for their values; what is no number is for the caller to refuse. items: counts them."""
    items = count(1) if items is None else items
    if depth > DEEPEST:
        raise DataError(
            f"the features hold dictionaries within dictionaries, more than {DEEPEST} deep, or one that holds itself.",
            remedy="Give features by name: {'word': 'dog', 'suffix': 'og'}.",
        )
    for key, value in features.items():
        _check_ends(items)
        name = prefix + _text(key)
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}:", depth + 1, items)
        elif isinstance(value, (str, bytes)):
            yield f"{name}:{_text(value)}", 1.0
        elif isinstance(value, (bool, np.bool_)):
            if value:
                yield name, 1.0
        elif isinstance(value, (list, tuple, *SETS)):
            for item in _texts(value, name, items):
                yield f"{name}:{item}", 1.0
        else:
            yield name, value


def _check_ends(items: Iterator[int]) -> None:
    if next(items) > MOST_ITEMS:
        raise DataError(
            f"the features hold more than {MOST_ITEMS:,} items, those of dictionaries within dictionaries counted each time.",
            remedy="Does a dictionary hold another one many times, or go on for ever? Give features by name: "
            "{'word': 'dog', 'suffix': 'og'}.",
        )


def _text(key: object) -> str:
    """A key as it is in a name."""
    if type(key) is str:
        return key
    if isinstance(key, bytes):
        try:
            return key.decode()
        except UnicodeDecodeError:
            raise DataError(
                f"a feature is {key!r:.60}, which is no text in UTF-8.", remedy="Decode it: .decode('latin-1')."
            ) from None
    try:
        return f"{key}"
    except Exception as error:  # of a user's class
        raise DataError(f"a feature cannot be printed: {error!r:.100}.") from error


def _texts(value: Iterable[object], name: str, items: Iterator[int]) -> list[str]:
    """The strings of a list; those of a set in sorted order, since they come in another one on every run."""
    found = []
    for item in value:
        _check_ends(items)
        if not isinstance(item, (str, bytes)):
            raise DataError(
                f"feature {name!r} has {printed(item):.60} in its list; expected a list of strings."
                if name
                else f"{printed(item):.60} is in a list of names; expected strings.",
                remedy="Give numbers by name: {'size': 2.5}; or make strings of them.",
            )
        found.append(_text(item))
    return sorted(found) if isinstance(value, SETS) else found


def _number(value: object) -> float | None:
    """The value as a number that the core can hold, or None."""
    try:
        number = float(value)  # type: ignore[arg-type]  # what float() refuses is not a number
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None


SETS = (set, frozenset)  # have no order, so they cannot be columns
REMEDY = (
    "Columns: give tuples, all of one length. Names of features, as python-crfsuite takes them: "
    "riata.importing.items.from_strings(X) makes dictionaries of them."
)


def are_names(sentences: Sequence[Sequence[Any]]) -> bool:
    """Whether the tokens are lists of names, such as ["bias", "w=The", "pos:DT"], and not rows of columns.

    Sets are. Lists are if every token has a string with `=` or `:` inside, and the first string of every token is such a one, or is the
    same for all (`bias`): no column of words is so. Everything else is columns.
    """
    firsts: set[str] = set()  # those without a sign
    signed_firsts = False
    different: set[tuple[str, ...]] = set()  # tokens, two at most: of a single one, nothing is "the same for all"
    lengths: set[int] = set()
    for token in (token for sentence in sentences for token in sentence):
        if isinstance(token, SETS):
            return True
        if not isinstance(token, list) or not any(map(_has_sign, token)):
            return False
        if len(different) < 2:
            different.add(tuple(token))
        lengths.add(len(token))
        if _has_sign(token[0]):
            signed_firsts = True
        else:
            firsts.add(str(token[0]))
    if not firsts or (len(firsts) == 1 and not signed_firsts and len(different) > 1):
        return True
    if len(lengths) == 1:  # otherwise they are refused
        warnings.warn(
            f"Every token is a list with a string such as NAME=VALUE; they are read as columns, the first one as words. {REMEDY}",
            RiataWarning,
            stacklevel=2,
        )
    return False


def counted(names: Iterable[str]) -> dict[str, float]:
    """Names as a dictionary of features. A name that occurs twice counts twice; sets come in an order of their own on every run."""
    found: dict[str, float] = {}
    for name in sorted(names) if isinstance(names, SETS) else names:
        found[name] = found.get(name, 0.0) + 1.0
    return found


def _has_sign(text: object) -> bool:
    """Something, then = or :"""
    return isinstance(text, str) and ("=" in text[1:] or ":" in text[1:])
