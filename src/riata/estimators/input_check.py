"""Whether the input of a trained model looks like its training data: a warning where it does not, once per column and kind of oddity."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.profile import BLANK, ArrayProfile, ColumnProfile, Counts, Profile, by_key
from riata.data.types import Column, Corpus
from riata.errors import DataError, shortened
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
        self._last: Callable[[], Any] = lambda: (
            None
        )  # a column of the last input, which evaluate and others look at several times
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
        tokens = min(corpus.tokens, LOOKED_AT)
        first = _first(corpus)
        if not tokens or first is self._last():
            return
        self._last = weakref.ref(first)
        self._tokens += tokens
        if corpus.lines is not None and corpus.name != self._file:  # another file is another input
            self._seen, self._file, self._told = {}, corpus.name, False
        if isinstance(self.profile, ArrayProfile):
            self._look_at_arrays(corpus, tokens, estimator)
            return
        looked_at = np.linspace(0, corpus.tokens - 1, tokens).astype(np.int64)
        for name, column, profile in self._columns(corpus, looked_at):
            ids, numbers = np.unique(column.ids, return_counts=True)
            counts = dict(zip(column.alphabet.texts_of(ids.astype(np.int32)), numbers.tolist(), strict=True))
            self._look_at(name, counts, profile, corpus, estimator)

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

    def _columns(self, corpus: Corpus, tokens: NDArray[np.int64]) -> Iterator[tuple[str, Column, ColumnProfile]]:
        """These tokens of every column, and its profile."""
        if isinstance(self.profile, dict):
            if corpus.given is not None:
                here = by_key(corpus.given.take(tokens), self.profile)
                nothing = Column.of([""] * len(tokens))
                for key, profile in self.profile.items():
                    yield f"feature {key!r}", here.get(key, nothing), profile
            return
        assert isinstance(self.profile, tuple)
        for number, (column, profile) in enumerate(zip(corpus.columns, self.profile, strict=False)):
            yield corpus.column_name(number), replace(column, ids=column.ids[tokens]), profile

    def _look_at(
        self, name: str, counts: Counts, profile: ColumnProfile, corpus: Corpus, estimator: SequenceEstimator
    ) -> None:
        if (value := profile.constant(counts)) is not None:
            without = "" if estimator.columns.tags_read == "own" else estimator.without_column
            raise DataError(
                f"{name} is {value!r} throughout, but it had {_several(profile)} in training, and the model reads it.",
                remedy=f"Give it as in training{without}. {self._as_it_is}",
                file=corpus.name,
            )
        seen = self._seen.setdefault(name, _Seen())
        if seen.told is Oddity.BLANK:
            return
        seen.add(counts, profile)
        kind, text = seen.oddity(name, profile, self.profile, examples=not self.served)
        if kind < seen.told:
            seen.told = kind
            _tell(text, corpus, estimator)

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

    def oddity(self, name: str, profile: ColumnProfile, whole: Profile, *, examples: bool) -> tuple[Oddity, str]:
        """What is odd about the column, and the likely remedy. examples: whether values of the input are named."""
        if self.blank:
            shown = shortened(repr(self.blank)) if examples else "a value of several words"
            return (
                Oddity.BLANK,
                f"{name} has {shown}, and no value of training has a blank in it. "
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
                f"{name} is unlike the training data: {share:.0f} % of its values {were}{f' ({named})' if examples else ''}; "
                f"of held-out training data, {100 * profile.unknown:.0f} %. {self._remedy(name, profile, whole)}",
            )
        value = next(iter(self.values))
        if len(self.values) == 1 and profile.lacks_others(value, self.tokens):
            shown = "missing" if not value else shortened(repr(value)) if examples else "the same"
            return (
                Oddity.CONSTANT,
                f"{name} is {shown} in all of {self.tokens:,} tokens; it had {_several(profile)} in training. Is the column filled?",
            )
        if profile.too_many_blanks(self.blanks, self.tokens):
            share = 100 * self.blanks / self.tokens
            return (
                Oddity.UNKNOWN,
                f"{name} is blank in {share:.0f} % of its tokens, and in none of the training data. Is the column filled?",
            )
        if profile.odd_capitals(self.capitals, self.tokens):
            return (
                Oddity.CAPITALS,
                f"{name} is unlike the training data: {100 * self.capitals / self.tokens:.0f} % of its values have a capital letter; "
                f"of the training data, {100 * profile.capitals:.0f} %. Give words as they are written in training.",
            )
        return Oddity.NONE, ""

    def _remedy(self, name: str, profile: ColumnProfile, whole: Profile) -> str:
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
