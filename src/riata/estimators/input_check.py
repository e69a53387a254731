"""Whether the input of a trained model looks like its training data: a warning where it does not, once per column and kind of oddity."""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.named_features import Given
from riata.data.types import SAMPLE, Column, Corpus
from riata.errors import DataError, ModelFileError, shortened
from riata.estimators.notes import warn_text

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator


LOOKED_AT = 1_000  # tokens of one call
ENOUGH = 5_000  # tokens, after which only one call in RARELY is looked at
RARELY = 32
FAR = 0.25  # of ArrayProfile.distance
EXAMPLES = 3
MOST_OTHERS = 200  # values that training did not have, and that are counted one by one
AS_IT_IS = "check_input=False (--force) reads it as it is."


class Oddity(IntEnum):
    """What is told of a column once. The first ones explain those after them."""

    BLANK = 0
    UNKNOWN = 1
    CONSTANT = 2
    CAPITALS = 3
    NONE = 4


class InputCheck:
    """Counts over calls, so that many short sentences tell as much as a long file. What it counts changes no prediction."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.served = False  # whether users are clients of a server: texts of theirs are not logged, and parameters are not theirs
        # A column of the last input, which evaluate and others look at several times.
        self._last: Callable[[], Any] = lambda: None
        self._seen: dict[Any, _Seen] = {}
        self._tokens = self._calls = 0
        self._file = ""
        self._told = False

    @property
    def _as_it_is(self) -> str:
        return (
            AS_IT_IS if not self.served else "Whoever runs the server can switch this check off (riata serve --force)."
        )

    def is_due(self, sentences: Sequence[Any]) -> bool:
        """Whether a call of a few sentences should be looked at: whenever it may be without a column, and now and then."""
        self._calls += 1
        return self._tokens < ENOUGH or self._calls % RARELY == 0 or _may_be_blank(sentences[0])

    def look(self, corpus: Corpus, estimator: SequenceEstimator) -> None:
        """corpus: the columns that the model reads. DataError if one of them says nothing, or with `strict` if one is unlike training."""
        number, odd_lengths = corpus.tokens, corpus.odd_lengths()
        tokens = min(number, LOOKED_AT)
        first = _first(corpus)
        if not tokens or first is self._last():
            return
        self._last = weakref.ref(first)
        self._tokens += tokens
        if corpus.lines is not None and corpus.name != self._file:  # another file is another input
            self._seen, self._file, self._told = {}, corpus.name, False
            if odd_lengths:
                _tell(odd_lengths, corpus, estimator)
        if isinstance(self.profile, ArrayProfile):
            self._look_at_arrays(corpus, tokens, estimator)
            return
        looked_at = np.linspace(0, number - 1, tokens).astype(np.int64)
        for key, column, profile in self._columns(corpus, looked_at):
            ids, numbers = np.unique(column.ids, return_counts=True)
            counts = dict(zip(column.alphabet.texts_of(ids.astype(np.int32)), numbers.tolist(), strict=True))
            self._look_at(key, counts, profile, corpus, estimator)

    def look_at_lists(self, sentences: Sequence[Sequence[Any]], estimator: SequenceEstimator) -> None:
        """The same for plain sentences: lists of words, or of tuples of columns."""
        from riata.data.memory import as_corpus

        few, tokens = [], 0
        for sentence in sentences:
            few.append(sentence)
            tokens += len(sentence)
            if tokens >= LOOKED_AT:
                break
        if tokens:
            self.look(as_corpus(few, names=not estimator.inputs_), estimator)

    def _columns(self, corpus: Corpus, tokens: NDArray[np.int64]) -> Iterator[tuple[str | int, Column, ColumnProfile]]:
        """These tokens of every column, by its number or the key of features, and its profile."""
        if isinstance(self.profile, dict):
            if corpus.given is not None:
                here = by_key(corpus.given.take(tokens), self.profile)
                nothing = Column.of([""] * len(tokens))
                for key, profile in self.profile.items():
                    yield key, here.get(key, nothing), profile
            return
        assert isinstance(self.profile, tuple)
        for number, (column, profile) in enumerate(zip(corpus.columns, self.profile, strict=False)):
            yield number, replace(column, ids=column.ids[tokens]), profile

    def _look_at(
        self, key: str | int, counts: Counts, profile: ColumnProfile, corpus: Corpus, estimator: SequenceEstimator
    ) -> None:
        if (value := profile.constant(counts)) is not None:
            without = "" if estimator.columns.tags_read == "own" else estimator.without_column
            raise DataError(
                f"{_name(key, corpus)} is {value!r} throughout, but it had {_several(profile)} in training, and the model reads it.",
                remedy=f"Give it as in training{without}. {self._as_it_is}",
                file=corpus.name,
            )
        seen = self._seen.setdefault(key, _Seen())
        if seen.told is Oddity.BLANK:
            return
        seen.add(counts, profile)
        kind, text = seen.oddity(profile, self.profile, examples=not self.served)
        if kind < seen.told:
            seen.told = kind
            _tell(f"{_name(key, corpus)} {text}", corpus, estimator)

    def _look_at_arrays(self, corpus: Corpus, tokens: int, estimator: SequenceEstimator) -> None:
        assert isinstance(self.profile, ArrayProfile)
        if self._told or corpus.vectors is None or tokens < 50:
            return
        rows = corpus.vectors.rows(np.arange(tokens))
        distance, odd = self.profile.distance(rows), self.profile.odd_columns(rows)
        if distance <= FAR and len(odd):
            self._told = True
            places = ", ".join(map(str, odd[:EXAMPLES].tolist()))
            _tell(
                f"{len(odd)} of {rows.shape[1]} columns of the arrays have numbers of another size than in training: "
                f"{places}{', …' if len(odd) > EXAMPLES else ''}, counted from 0. Are they scaled in another way?",
                corpus,
                estimator,
            )
        elif distance <= FAR and len(dead := self.profile.dead_columns(rows)):
            self._told = True
            _tell(
                f"column {dead[0]} of the arrays has the same number in all of {tokens:,} tokens; it had many in training. Is it filled?",
                corpus,
                estimator,
            )
        if distance > FAR:
            self._told = True
            _tell(
                f"the arrays are unlike those of training: in columns of many values, {100 * distance:.0f} % of the numbers "
                "are in other quarters of the range. Are the columns in another order, or scaled in another way?",
                corpus,
                estimator,
            )


class _Seen:
    """What a column had so far."""

    def __init__(self) -> None:
        self.told = Oddity.NONE
        self.tokens = self.unknown = self.capitals = self.blanks = 0
        self.blank = ""
        self.values: set[str] = set()  # two at most
        self.others: dict[str, int] = {}  # values that are not among those of training

    def add(self, counts: Counts, profile: ColumnProfile) -> None:
        known = profile.known
        if self.tokens > ENOUGH:  # what comes later counts, too
            self.tokens, self.blanks = self.tokens // 2, self.blanks // 2
            self.unknown, self.capitals = self.unknown // 2, self.capitals // 2
        for text, number in counts.items():
            self.tokens += number
            if len(self.values) < 2:
                self.values.add(text)
            self.capitals += number * (text != text.lower())
            if text not in known:
                self.unknown += number
                self.blanks += number * (text in BLANK)
                self.others[text] = self.others.get(text, 0) + number
                if " " in text.strip() and not profile.blanks:
                    self.blank = text
        if len(self.others) > MOST_OTHERS:
            self.others = dict(self._commonest()[: MOST_OTHERS // 2])

    def _commonest(self) -> list[tuple[str, int]]:
        return sorted(self.others.items(), key=lambda item: -item[1])

    def oddity(self, profile: ColumnProfile, whole: Profile, *, examples: bool) -> tuple[Oddity, str]:
        """What is odd about the column, to be said after its name, and the likely remedy. examples: whether values of it are named."""
        if self.blank:
            shown = shortened(repr(self.blank)) if examples else "a value of several words"
            return (
                Oddity.BLANK,
                f"has {shown}, and no value of training has a blank in it. "
                "Is it a whole sentence? Split it into words, or use text=True (--text).",
            )
        several = profile.complete or len(self.others) >= EXAMPLES
        if several and profile.too_many_unknown(self.unknown, self.tokens):
            were = (
                "were not in training"
                if profile.complete
                else f"are none of the {len(profile.values)} commonest of training"
            )
            share, named = (
                100 * self.unknown / self.tokens,
                ", ".join(repr(shortened(t)) for t, _ in self._commonest()[:EXAMPLES]),
            )
            return (
                Oddity.UNKNOWN,
                f"is unlike the training data: {share:.0f} % of its values {were}{f' ({named})' if examples else ''}; "
                f"of held-out training data, {100 * profile.unknown:.0f} %. {self._remedy(profile, whole)}",
            )
        value = next(iter(self.values))
        if len(self.values) == 1 and profile.lacks_others(value, self.tokens):
            shown = "missing" if not value else shortened(repr(value)) if examples else "the same"
            return (
                Oddity.CONSTANT,
                f"is {shown} in all of {self.tokens:,} tokens; it had {_several(profile)} in training. Is the column filled?",
            )
        if profile.too_many_blanks(self.blanks, self.tokens):
            share = 100 * self.blanks / self.tokens
            return (
                Oddity.UNKNOWN,
                f"is blank in {share:.0f} % of its tokens, and in none of the training data. Is the column filled?",
            )
        if profile.odd_capitals(self.capitals, self.tokens):
            return (
                Oddity.CAPITALS,
                f"is unlike the training data: {100 * self.capitals / self.tokens:.0f} % of its values have a capital letter; "
                f"of the training data, {100 * profile.capitals:.0f} %. Give words as they are written in training.",
            )
        return Oddity.NONE, ""

    def _remedy(self, profile: ColumnProfile, whole: Profile) -> str:
        folded = {value.lower() for value in profile.values}
        if self._mostly(lambda text: text.lower() in folded):
            return "They differ in upper and lower case only: write them as in training."
        if isinstance(whole, tuple):
            for number, other in enumerate(whole):
                if other is not profile and self._mostly(frozenset(other.values).__contains__):
                    return f"They look like input {number} of training: are columns swapped (--inputs names them)?"
        if self._mostly(lambda text: text in ("", "_")):
            return "Is the column filled?"
        return "Is it the right file, column, language and tag set?"

    def _mostly(self, holds: Any) -> bool:
        return 2 * sum(number for text, number in self.others.items() if holds(text)) > sum(self.others.values())


def _name(key: str | int, corpus: Corpus) -> str:
    return corpus.column_name(key) if isinstance(key, int) else f"feature {key!r}"


def _first(corpus: Corpus) -> Any:
    """An array that is the same whenever the same input is looked at."""
    if corpus.columns:
        return corpus.columns[0].ids
    return corpus.starts if corpus.given is None else corpus.given.ids


def _may_be_blank(sentence: Sequence[Any]) -> bool:
    if not len(sentence) or isinstance(sentence[0], dict):
        return False
    return any(value in BLANK for value in ((sentence[0],) if isinstance(sentence[0], str) else sentence[0]))


def _several(profile: ColumnProfile) -> str:
    return f"{len(profile.values)} values" if profile.complete else "many values"


def _tell(text: str, corpus: Corpus, estimator: SequenceEstimator) -> None:
    if estimator.strict:
        raise DataError(text, remedy=AS_IT_IS, file=corpus.name)
    warn_text(f"{corpus.name}: {text}" if corpus.lines is not None else text[0].upper() + text[1:])


def check_of(profile: Profile | None) -> InputCheck | None:
    return None if profile is None else InputCheck(profile)


MOST_VALUES = 500  # of a column that are stored
MOST_KEYS = 50  # of dictionaries that are looked at, among those that most tokens have
TENTHS = 10  # parts of the training data, each held out once
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
        upper = np.array([text != text.lower() for text in texts], bool)
        tokens = len(column.ids)
        return cls(
            values=tuple(texts[: len(common)]),
            complete=len(common) == len(order),
            unknown=float(1 - known / tokens),
            largest=float(counts[order[0]] / tokens),
            capitals=float(counts[order][upper].sum() / tokens),
            blanks=" " in "".join(texts),
        )

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.values)

    def constant(self, counts: Counts) -> str | None:
        """The value of all these tokens, if that is no accident; None if there are several, or if text may well have no other."""
        [value, *others] = counts
        tokens = sum(counts.values())
        if others or len(self.values) == 1 or not self.values[0]:
            # A flag, which most tokens do not have, may be off or on in a text.
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
