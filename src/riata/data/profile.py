"""What the columns of training data look like, and whether those of other data look so too.

A column with other values than in training (swapped, in lower case, of another tag set, filled with `_`) scores far below what a model can
do, without any other sign. A profile has the commonest values of a column and the share of them among held-out tokens, so that a share far
below it can be told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.named_features import Given
from riata.data.types import Column, Corpus
from riata.errors import ModelFileError

MOST_VALUES = 500  # of a column that are stored
MOST_KEYS = 50  # of dictionaries that are looked at, among those that most tokens have
TENTHS = 10  # parts of the training data, each held out once
SAMPLE = 20_000  # tokens from which keys of dictionaries and columns of arrays are profiled
UNLIKELY = math.log(1000)
CONSTANT = math.log(1e6)
BLANK = frozenset({"", "_"})  # values that say nothing
CLOSED = 0.05  # share of unknown values in held-out data, below which a column has tags rather than words
MANY = 500  # tokens in which a column of arrays hardly ever has one value, even if it describes documents
MOST_ALIKE = 0.98  # share of tokens with one value, from which on nobody wonders if all have it
FEW = 5  # tokens that may be blank in a column of any values
MOST_BLANKS = 0.01  # share of tokens whose tag may be missing
UNKNOWN = 0.001  # share that a value has at most if it is none of training
FAR_AWAY = 10  # times the interquartile range of training
RUN = 20  # values that stand together in text: so many tokens tell as much as one alone
_KEY = re.compile("[:=]")  # between the name of a feature and its value

Counts = Mapping[str, int]  # how many tokens have each value


@dataclass(frozen=True)
class ColumnProfile:
    """One column of the training data, or one key of its dictionaries."""

    values: tuple[str, ...]  # the commonest first
    complete: bool  # whether these are all values
    unknown: float  # share of the tokens of held-out tenths whose value is not among those of the rest
    largest: float  # share of the commonest value
    capitals: float  # share of tokens with an upper-case letter
    blanks: bool  # whether a value has a blank in it

    @classmethod
    def of(cls, column: Column, tenth: NDArray[np.int64]) -> ColumnProfile:
        """tenth: [N] the part of the data that a token is in."""
        number = len(column.alphabet)
        table = np.bincount(tenth * number + column.ids, minlength=TENTHS * number).reshape(TENTHS, number)
        counts = table.sum(axis=0)
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        common = order[:MOST_VALUES]
        known = counts[common][np.count_nonzero(table[:, common], axis=0) > 1].sum()
        texts = column.alphabet.texts_of(order.astype(np.int32))
        upper = np.array([_has_capital(text) for text in texts], bool)
        tokens = len(column.ids)
        return cls(
            values=tuple(texts[: len(common)]),
            complete=len(common) == len(order),
            unknown=float(1 - known / tokens),
            largest=float(counts[order[0]] / tokens),
            capitals=float(counts[order][upper].sum() / tokens),
            blanks=any(" " in text for text in texts),
        )

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.values)

    def constant(self, counts: Counts) -> str | None:
        """The value of all these tokens, if that is no accident; None if there are several, or if text may well have no other."""
        [value, *others] = counts
        tokens = sum(counts.values())
        if (
            others or len(self.values) == 1 or not self.values[0]
        ):  # a flag, which most tokens do not have, may be off or on in a text
            return None
        closed = self.complete and self.unknown < CLOSED
        if value not in self.known and value in BLANK:
            return value if closed or tokens >= FEW else None
        share = self._share(value)
        return value if closed and value and share < 0.5 and _unlikely(share, tokens) else None

    def lacks_others(self, value: str, tokens: int) -> bool:
        """Whether text has too many tokens with this value, and no other."""
        return self._share(value) < MOST_ALIKE and _unlikely(self._share(value), tokens)

    def too_many_blanks(self, blanks: int, tokens: int) -> bool:
        """Whether tags are missing that were all there in training. blanks: tokens with blank values that training did not have."""
        return self.complete and self.unknown < CLOSED and _exceeds(blanks, tokens, MOST_BLANKS)

    def _share(self, value: str) -> float:
        """The share of tokens that may have a value, at most."""
        if value == self.values[0]:
            return self.largest
        return min(self.largest, 1 - self.largest) if value in self.known else max(UNKNOWN, self.unknown)

    def too_many_unknown(self, unknown: int, tokens: int) -> bool:
        """Whether values differ from those of training; of values that hardly occur twice, this cannot be told."""
        return self.unknown < 0.75 and _exceeds(unknown, tokens, min(0.5 + self.unknown / 2, 0.1 + 4 * self.unknown))

    def odd_capitals(self, capitals: int, tokens: int) -> bool:
        """Whether the data have lost their capitals, or have them where training had none."""
        lost = self.capitals >= 0.05 and _exceeds(tokens - capitals, tokens, 1 - self.capitals / 4)
        return lost or (self.capitals < 0.001 and _exceeds(capitals, tokens, 0.05))


@dataclass(frozen=True)
class ArrayProfile:
    """Arrays of numbers: the quartiles of every column."""

    quartiles: tuple[tuple[float, float, float], ...]

    def distance(self, rows: NDArray[Any]) -> float:
        """How far rows are from training: the mean over columns of the share of numbers that would have to change quarters, 0 to 0.75."""
        low, middle, high = np.array(self.quartiles, np.float64).T
        spread = (low < middle) & (middle < high)
        if not spread.any() or not len(rows):
            return 0.0
        quarter = (rows > low).astype(int) + (rows > middle) + (rows > high)
        shares = np.stack([(quarter == q).mean(axis=0) for q in range(4)])
        return float((np.abs(shares - 0.25).sum(axis=0) / 2)[spread].mean())

    def dead_columns(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """The columns of many values that have a single one here: 0 or, in many tokens, any, which a document alone may have."""
        low, middle, high = np.array(self.quartiles, np.float64).T
        dead = (rows.min(axis=0) == rows.max(axis=0)) & ((rows[0] == 0) | (len(rows) >= MANY))
        return np.flatnonzero((low < middle) & (middle < high) & dead)

    def odd_columns(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """The columns of many values that are scaled or shifted far beyond what training had."""
        low, middle, high = np.array(self.quartiles, np.float64).T
        here_low, here_high = np.quantile(rows, (0.25, 0.75), axis=0)
        far, width = FAR_AWAY * (high - low), here_high - here_low
        scaled = (width > far) | (FAR_AWAY * width < high - low)
        shifted = (here_low > middle + far) | (here_high < middle - far)
        varied = [2 * len(np.unique(column)) > len(column) for column in rows.T]  # not one value per document
        return np.flatnonzero((low < middle) & (middle < high) & varied & (scaled | shifted))


Profile = tuple[ColumnProfile, ...] | dict[str, ColumnProfile] | ArrayProfile  # by column, by key, or of arrays


def profile_of(data: Corpus, inputs: int) -> Profile | None:
    """The profile of training data, of which the first columns are inputs; None if there are no tokens."""
    if not data.tokens:
        return None
    tenth = np.arange(data.tokens, dtype=np.int64) * TENTHS // data.tokens
    step = -(-data.tokens // SAMPLE)
    if data.vectors is not None and data.is_wordless:
        quartiles = np.quantile(data.vectors.rows(np.arange(0, data.tokens, step)), (0.25, 0.5, 0.75), axis=0).astype(
            np.float32
        )
        return ArrayProfile(tuple(map(tuple, quartiles.T.tolist())))
    if data.given is None:
        return tuple(ColumnProfile.of(column, tenth) for column in data.columns[:inputs])
    sample = data.given.take(np.arange(0, data.tokens, step))
    keyed = {key: ColumnProfile.of(column, tenth[::step]) for key, column in by_key(sample).items()}
    return {key: column for key, column in keyed.items() if column.values[0] or column.largest < MOST_ALIKE}


def by_key(given: Given, wanted: Collection[str] | None = None) -> dict[str, Column]:
    """Dictionaries of features as columns: the value of every key, `word:dog` or `word=dog`; the empty text where a token has none.

    wanted: which keys; None: the most frequent ones.
    """
    names = [_KEY.split(name, maxsplit=1) for name in given.alphabet.texts()]
    keys = {key: number for number, key in enumerate(dict.fromkeys(key for key, *_ in names))}
    of = np.array([keys[key] for key, *_ in names], np.int64)[given.ids]
    token = np.repeat(np.arange(len(given.starts) - 1), np.diff(given.starts))
    if wanted is None:
        chosen = np.argsort(-np.bincount(of, minlength=len(keys)), kind="stable")[:MOST_KEYS].tolist()
    else:
        chosen = [keys[key] for key in wanted if key in keys]
    listed, found = list(keys), {}
    for number in chosen:
        here = of == number
        texts = np.full(len(given.starts) - 1, "", object)
        texts[token[here]] = [names[i][-1] for i in given.ids[here].tolist()]
        found[listed[number]] = Column.of(texts.tolist())
    return found


def _has_capital(text: str) -> bool:
    return text != text.lower()


def _unlikely(share: float, tokens: int) -> bool:
    """Whether so many tokens hardly ever have a value all of them, which this share of tokens has."""
    return -tokens / RUN * math.log(share) > CONSTANT if share else True


def _exceeds(count: int, tokens: int, share: float) -> bool:
    """Whether a count is so far above this share of the tokens that it is no accident, by Chernoff's bound."""
    found = count / tokens
    if found <= share or share >= 1:
        return False
    rest = (1 - found) * math.log((1 - found) / (1 - share)) if found < 1 else 0.0
    return tokens * (found * math.log(found / share) + rest) > UNLIKELY


def stored(profile: Profile) -> dict[str, Any]:
    """For a model file."""
    if isinstance(profile, ArrayProfile):
        return {"arrays": [list(each) for each in profile.quartiles]}
    named = profile.items() if isinstance(profile, dict) else enumerate(profile)
    keyed = [[name, asdict(column)] for name, column in named]
    return {"keys": keyed} if isinstance(profile, dict) else {"columns": [column for _, column in keyed]}


def restored(found: Any) -> Profile | None:
    """From a model file."""
    try:
        match found:
            case None:
                return None
            case {"arrays": list(rows)}:
                return ArrayProfile(tuple(_quartiles(row) for row in rows))
            case {"columns": list(columns)}:
                return tuple(map(_column, columns))
            case {"keys": list(pairs)}:
                return {str(name): _column(column) for name, column in pairs}
    except (LookupError, OverflowError, TypeError, ValueError):
        pass
    raise ModelFileError("the model's profile of its input is inconsistent")


def _column(found: Mapping[str, Any]) -> ColumnProfile:
    shares = {name: float(found[name]) for name in ("unknown", "largest", "capitals")}
    values: Sequence[Any] = found["values"]
    if len(found) != 6 or not all(0 <= share <= 1 for share in shares.values()) or shares["largest"] == 0:
        raise ValueError
    if not all(isinstance(value, str) for value in values) or len(values) > MOST_VALUES:
        raise ValueError
    return ColumnProfile(tuple(values), bool(found["complete"]), blanks=bool(found["blanks"]), **shares)


def _quartiles(row: Sequence[Any]) -> tuple[float, float, float]:
    low, middle, high = map(float, row)
    if not all(map(math.isfinite, (low, middle, high))) or any(a > b for a, b in pairwise((low, middle, high))):
        raise ValueError
    return low, middle, high
