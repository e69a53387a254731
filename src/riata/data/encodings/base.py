"""How chunks are written as one tag per token.

An encoding is a few small tables of prefixes; whatever it can do is written once, here, in terms of them.
'O' counts as a prefix of its own whose type is empty, and a sentence as if an 'O' stood on either side of it,
so starting, following and ending are one question: may this tag stand after that one? Where all chunks are of one kind, tags may be
prefixes alone, such as B: their type is empty, and the kind has no name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata.data.memory import is_list
from riata.data.types import UNKNOWN, Column, Ids, Span, Starts
from riata.errors import DataError, LabelError, printed

_ALIASES = {"L": "E", "U": "S"}
OUTSIDE_PREFIXES = ("O", ".")  # the type rule does not hold for these
BORDER = ("O", "")
_ONE_TOKEN = ("S", "[", "]")
_END_PAIRS = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")}
_EXTENDED_STARTS = {("E", "B"), ("S", "B"), ("S", "I"), ("S", "E")}  # not in the script
_START_PAIRS = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I"), ("O", "E"), ("E", "E"), ("E", "I")} | _EXTENDED_STARTS
_CLASSIC_E_ENDS = {("E", "E"), ("E", "I"), ("E", "O")}
_BRACKETS = ("[", "]")


@lru_cache(maxsize=1 << 16)
def split_tag(tag: str) -> tuple[str, str]:
    """Prefix and type: 'B-NP' is ('B', 'NP'), 'O' is ('O', ''); only the first hyphen counts. A type alone, as IO has it, counts as I."""
    return ("I", tag) if _is_type_alone(tag) else split_at_hyphen(tag)


def split_at_hyphen(tag: str) -> tuple[str, str]:
    """The same as conlleval has it, to which a type alone is a prefix."""
    prefix, _, type_ = tag.partition("-")
    return _ALIASES.get(prefix, prefix), type_


def are_types_alone(labels: Collection[str]) -> bool:
    """Whether these are O and types alone, and nothing else."""
    return "O" in labels and len(labels) > 1 and all(label == "O" or _is_type_alone(label) for label in labels)


def _is_type_alone(tag: str) -> bool:
    return len(tag.partition("-")[0]) > 1


def prefixes_end(before: str, after: str) -> bool:
    return before == "E" or before in _ONE_TOKEN or after == "S" or (before, after) in _END_PAIRS


def prefixes_start(before: str, after: str) -> bool:
    return after in _ONE_TOKEN or (before, after) in _START_PAIRS


def classic_end(before: str, after: str) -> bool:
    return before in _BRACKETS or (before, after) in _END_PAIRS | _CLASSIC_E_ENDS


def classic_start(before: str, after: str) -> bool:
    return after in _BRACKETS or (before, after) in _START_PAIRS - _EXTENDED_STARTS


def is_extended(labels: Iterable[str]) -> bool:
    """Whether the rules for BIOES and BILOU hold."""
    return any(label.partition("-")[0] in ("S", "L", "U") for label in labels)


@lru_cache(maxsize=1 << 16)
def _boundary(before: str, after: str, extended: bool) -> tuple[bool, bool]:
    """Whether a chunk ends, and whether one starts, between two tags."""
    (prefix, type_), (next_prefix, next_type) = split_tag(before), split_tag(after)
    differ = type_ != next_type
    ends, starts = (prefixes_end, prefixes_start) if extended else (classic_end, classic_start)
    return (
        ends(prefix, next_prefix) or (differ and prefix not in OUTSIDE_PREFIXES),
        starts(prefix, next_prefix) or (differ and next_prefix not in OUTSIDE_PREFIXES),
    )


def spans_of(tags: Sequence[str], *, extended: bool = True) -> list[Span]:
    """The chunks of one sentence, in order. A start closes what is still open. extended: the rules for BIOES hold."""
    spans: list[Span] = []
    start, before = -1, "O"
    for at, tag in enumerate(tags):
        ends, starts = _boundary(before, tag, extended)
        if start >= 0 and (ends or starts):
            spans.append(Span(start, at, split_tag(tags[start])[1]))
            start = -1
        if starts:
            start = at
        before = tag
    if start >= 0:
        spans.append(Span(start, len(tags), split_tag(tags[start])[1]))
    return spans


def chunk_flags(labels: Sequence[str]) -> tuple[Ids, NDArray[np.uint8]]:
    """Of each label the number of its type (-1: it is outside), [L]; and which goes on with the chunk of the one before it, [L * L]."""
    outside = [split_tag(label)[0] in OUTSIDE_PREFIXES for label in labels]
    types = [None if out else split_tag(label)[1] for label, out in zip(labels, outside, strict=True)]
    extended, flags = is_extended(labels), np.zeros((len(labels), len(labels)), np.uint8)
    for i, before in enumerate(labels):
        for j, label in enumerate(labels):
            if not outside[i] and not outside[j]:
                flags[i, j] = not any(_boundary(before, label, extended))
    numbers = [-1 if type_ is None else types.index(type_) for type_ in types]
    return np.array(numbers, np.int32), flags.ravel()


OUTSIDE = "O"
PREFERENCE = ("iob2", "iob1", "bioes", "bilou")  # between encodings that fit the data equally well

Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]


class Writing(NamedTuple):
    """The prefixes of a chunk: of its only token, or of its first, its inner ones and its last."""

    single: str
    first: str
    inside: str
    last: str

    def prefixes(self, length: int) -> list[str]:
        if length == 1:
            return [self.single]
        return [self.first, *[self.inside] * (length - 2), self.last]


@dataclass(frozen=True)
class Encoding:
    """One way to write chunks. Prefixes are single letters; a table's row holds them as one string.

    Rows for 'O' belong to the tables too. `hints` serves error messages only: a prefix that stands
    where it may not, and the encoding in which it more likely could.
    """

    name: str
    chunk: Writing
    touching: Writing  # a chunk directly after another of its own type
    follow_same: Mapping[str, str] = field(hash=False)  # prefix -> those that may follow, of the same type
    follow_other: Mapping[str, str] = field(hash=False)  # prefix -> those that may follow, of another type
    hints: Mapping[str, str] = field(hash=False)
    bare: ClassVar[bool] = (
        False  # tags are types alone: data do not show it, and chunks of a type that touch cannot be told apart
    )

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Every prefix but 'O'."""
        return tuple(prefix for prefix in self.follow_same if prefix != OUTSIDE)

    def split(self, tag: str) -> tuple[str, str]:
        """Prefix and type, at the first hyphen: types may hold hyphens, prefixes may not."""
        prefix, _, type_ = tag.partition("-")
        return prefix, type_

    def tag(self, prefix: str, type_: str) -> str:
        """A tag; without a type, the prefix alone."""
        return f"{prefix}-{type_}" if type_ else prefix

    def is_tag(self, tag: str) -> bool:
        prefix, type_ = self.split(tag)
        return prefix in self.follow_same and tag == self.tag(prefix, type_) and (prefix != OUTSIDE or not type_)

    def may_follow(self, previous: str, tag: str) -> bool:
        """Whether `tag` is legal after `previous`.

        A `previous` that is no tag counts as 'O', so that one foreign tag is one violation and not two.
        """
        if not self.is_tag(tag):
            return False
        before, before_type = self.split(previous if self.is_tag(previous) else OUTSIDE)
        prefix, type_ = self.split(tag)
        one_type = type_ == before_type and (prefix == OUTSIDE) == (before == OUTSIDE)
        table = self.follow_same if one_type else self.follow_other
        return prefix in table[before]

    def may_start(self, tag: str) -> bool:
        return self.may_follow(OUTSIDE, tag)

    def may_end(self, tag: str) -> bool:
        return self.is_tag(tag) and self.may_follow(tag, OUTSIDE)

    def encode(self, spans: Iterable[Span], length: int) -> list[str]:
        """The tags of a sentence of `length` tokens. Spans are in order and do not overlap."""
        tags = [OUTSIDE] * length
        last = Span(0, 0, "")
        for index, span in enumerate(spans):
            _check_span(index, span, last, length)
            touches = 0 < last.end == span.start and span.type == last.type
            prefixes = (self.touching if touches else self.chunk).prefixes(span.end - span.start)
            tags[span.start : span.end] = [self.tag(prefix, span.type) for prefix in prefixes]
            last = span
        return tags

    def spans(self, tags: Sequence[str]) -> list[Span]:
        """The chunks of a sentence whose tags are all legal; the first that is not raises LabelError."""
        spans: list[Span] = []
        previous = OUTSIDE
        for index, tag in enumerate(tags):
            if not self.may_follow(previous, tag):
                raise self._misplaced(index, previous, tag)
            if self.continues(previous, tag):
                spans[-1] = spans[-1]._replace(end=index + 1)
            elif tag != OUTSIDE:
                spans.append(Span(index, index + 1, self.split(tag)[1]))
            previous = tag
        if not self.may_end(previous):
            raise self._unfinished(len(tags) - 1, previous)
        return spans

    def continues(self, previous: str, tag: str) -> bool:
        """Whether a legal `tag` belongs to the chunk of the token before it.

        After its own type the prefix alone decides: a touching chunk never begins with one that goes on.
        """
        (before, before_type), (prefix, type_) = self.split(previous), self.split(tag)
        return before != OUTSIDE and type_ == before_type and prefix in (self.touching.inside, self.touching.last)

    def violations(self, labels: Sequence[str], ids: Ids, starts: Starts) -> NDArray[np.int64]:
        """Indices of the tokens whose tag is illegal after its predecessor, or at its end of the sentence.

        A tag that is unknown may stand anywhere, and any may stand after it.
        labels: text of each id. ids: [N]. starts: [S + 1]; sentences may be empty.
        """
        rules = _Rules.of(self, labels)
        filled = starts[:-1] < starts[1:]
        first, last = starts[:-1][filled], starts[1:][filled] - 1
        previous = np.roll(ids, 1)
        previous[first] = rules.outside
        wrong = ~rules.follows(previous, ids)
        wrong[last] |= ~rules.follows(ids[last], np.array(rules.outside))
        return np.flatnonzero(wrong).astype(np.int64, copy=False)

    def allowed(self, labels: Sequence[str]) -> tuple[Bytes, Bytes, Bytes]:
        """Flags for a decoder: may start [L], may end [L], may follow [L * L] (row: from, column: to)."""
        rules = _Rules.of(self, labels)
        every, outside = np.arange(len(labels)), np.array(rules.outside)
        start = rules.follows(outside, every)
        end = rules.known[every] & rules.follows(every, outside)
        follow = rules.follows(every[:, None], every[None, :]).ravel()
        return start.astype(np.uint8), end.astype(np.uint8), follow.astype(np.uint8)

    def _misplaced(self, index: int, previous: str, tag: str) -> LabelError:
        title = self.name.upper()
        if not self.is_tag(tag):
            expected = _either([OUTSIDE, *(self.tag(prefix, "TYPE") for prefix in self.prefixes)])
            message = f"token {index}: label {tag!r} is no {title} tag; expected {expected}."
        else:
            place = f"follows {previous!r}" if index else "starts the sentence"
            expected = _either(self._followers(previous))
            message = f"token {index}: label {tag!r} {place}, but {title} expects {expected} there."
        return LabelError(message, remedy=self._remedy(self.split(tag)[0]))

    def _unfinished(self, index: int, tag: str) -> LabelError:
        title, expected = self.name.upper(), _either(self._followers(tag))
        message = f"token {index}: label {tag!r} ends the sentence, but {title} expects {expected} after it."
        return LabelError(message, remedy=self._remedy(OUTSIDE))

    def _followers(self, previous: str) -> list[str]:
        """What may stand after a legal tag, as a reader would list it: 'O', 'B-*', 'I-NP'."""
        before, type_ = self.split(previous)
        same, other = self.follow_same[before], self.follow_other[before]
        outside = [OUTSIDE] if OUTSIDE in same + other else []
        any_type = "" if before != OUTSIDE and not type_ else "*"
        inside = [self.tag(p, any_type if p in other else type_) for p in self.prefixes if p in same + other]
        return outside + inside

    def _remedy(self, prefix: str) -> str:
        if prefix in self.hints:
            name = self.hints[prefix]
            return f'If the file uses {name.upper()}, pass encoding="{name}".'
        return f"Check that the column holds {self.name.upper()} tags."


class _Rules(NamedTuple):
    """Legality over label ids: two tables of prefix pairs, so no table of label pairs is needed for a corpus.

    Label id `outside`, one past the last, is an 'O' that exists whether or not the labels have one.
    """

    known: Flags  # [L + 1] whether the label is a tag
    free: Flags  # [L + 1] whether it is unknown
    prefix: NDArray[np.int64]  # [L + 1] row of the tables; that of 'O' for a label that is no tag
    type: NDArray[np.int64]  # [L + 1] likewise
    same: Flags  # [P, P] from, to: for two tags of one type
    other: Flags  # [P, P] for tags of two types
    outside: int

    @classmethod
    def of(cls, encoding: Encoding, labels: Sequence[str]) -> _Rules:
        rows = (OUTSIDE, *encoding.prefixes)
        types: dict[str, int] = {}
        known = [encoding.is_tag(label) for label in [*labels, OUTSIDE]]
        tags = [label if ok else OUTSIDE for label, ok in zip([*labels, OUTSIDE], known, strict=True)]
        parts = [encoding.split(tag) for tag in tags]
        return cls(
            known=np.array(known),
            free=np.array([label == UNKNOWN for label in [*labels, OUTSIDE]]),
            prefix=np.array([rows.index(prefix) for prefix, _ in parts]),
            type=np.array(
                [types.setdefault("-" if prefix == OUTSIDE else type_, len(types)) for prefix, type_ in parts]
            ),
            same=_table(rows, encoding.follow_same),
            other=_table(rows, encoding.follow_other),
            outside=len(labels),
        )

    def follows(self, previous: NDArray[np.integer], ids: NDArray[np.integer]) -> Flags:
        """`Encoding.may_follow` for arrays of label ids, which broadcast."""
        before, after = self.prefix[previous], self.prefix[ids]
        one_type = self.type[previous] == self.type[ids]
        legal = np.where(one_type, self.same[before, after], self.other[before, after])
        return np.asarray((legal & self.known[ids]) | self.free[previous] | self.free[ids])


class Tags(NamedTuple):
    """How chunk labels are written in the data, and how they are learnt."""

    data: Encoding
    learnt: Encoding

    @property
    def recoded(self) -> bool:
        return self.data.name != self.learnt.name

    @property
    def note(self) -> str:
        """What to add to a label, where it is not written as in the data."""
        return f" (as learnt, in {self.learnt.name.upper()})" if self.recoded else ""

    def learnt_column(self, column: Column, starts: Starts) -> Column:
        """Legal tags of the data as they are learnt."""
        if not self.recoded:
            return column
        from riata.data.recoding import Recoder

        recoder = Recoder.of(column.alphabet.texts(), self.data, self.learnt)
        return recoder.column(column.ids, starts)

    def learnt_classes(self, classes: Sequence[str]) -> tuple[str, ...]:
        """Every tag that may be learnt of chunks of these types; what is no tag of the data stays as it is."""
        if not self.recoded:
            return tuple(classes)
        found: dict[str, None] = {}
        for label in classes:
            if label == OUTSIDE or not self.data.is_tag(label):
                found[label] = None
                continue
            type_ = self.data.split(label)[1]
            found.update(dict.fromkeys(self.learnt.tag(prefix, type_) for prefix in self.learnt.prefixes))
        return tuple(found)

    def completed(self, learnt: Iterable[str]) -> tuple[str, ...]:
        """These labels, as they are learnt, and all others of their types: chunks in new text may be longer than those of the data.

        Where the labels of the data are learnt as they are, nothing is added.
        """
        given = tuple(learnt)
        tags = [label for label in given if label != OUTSIDE and self.learnt.is_tag(label)] if self.recoded else []
        types = dict.fromkeys(self.learnt.split(tag)[1] for tag in tags)
        others = (self.learnt.tag(prefix, type_) for type_ in types for prefix in self.learnt.prefixes)
        return tuple(dict.fromkeys([*given, *others]))


def detect(encodings: Mapping[str, Encoding], labels: Sequence[str], ids: Ids, starts: Starts) -> Encoding:
    """The encoding that the corpus breaks least often; among equals the first in PREFERENCE."""
    broken = {name: len(encoding.violations(labels, ids, starts)) for name, encoding in encodings.items()}
    return least_broken(encodings, broken)


def least_broken(encodings: Mapping[str, Encoding], broken: Mapping[str, int]) -> Encoding:
    """By the number of violations of each."""

    def rank(name: str) -> tuple[int, int]:
        return broken[name], PREFERENCE.index(name) if name in PREFERENCE else len(PREFERENCE)

    return encodings[min(encodings, key=rank)]


def convert(tags: Sequence[str], source: Encoding, target: Encoding) -> list[str]:
    """The same chunks in another encoding."""
    return target.encode(source.spans(tags), len(tags))


def read_as_conlleval(tags: Sequence[str], encoding: Encoding) -> list[str]:
    """Tags, malformed or not, rewritten as legal ones with the chunks that conlleval would count."""
    ends_chunks = bool({"S", "L", "U"} & set(encoding.prefixes))
    return encoding.encode(spans_of(tags, extended=ends_chunks), len(tags))


def _table(rows: Sequence[str], follow: Mapping[str, str]) -> Flags:
    return np.array([[after in follow[before] for after in rows] for before in rows])


def _check_span(index: int, span: Span, last: Span, length: int) -> None:
    shown = f"span {index} ({span.start}, {span.end}, {span.type!r})"
    if not 0 <= span.start < span.end <= length:
        raise LabelError(
            f"{shown} is out of range: expected 0 <= start < end <= {length}.",
            remedy=f"The sentence has {length} tokens; a span's end is one past its last.",
        )
    if span.start < last.end:
        raise LabelError(
            f"{shown} starts before the span ahead of it ends, at {last.end}.",
            remedy="Sort the spans; they may touch but not overlap.",
        )


def _either(choices: Sequence[str]) -> str:
    quoted = [repr(choice) for choice in choices]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def shown_encodings() -> dict[str, Encoding]:
    """The encodings whose tags show what they are: all but those that write types alone, as which any tag can be read."""
    return {name: encoding for name, encoding in registry.all_of("encoding").items() if not encoding.bare}


def tags_among(labels: Iterable[str], encodings: Iterable[Encoding]) -> set[str]:
    """The labels that are tags of one of these encodings."""
    known = tuple(encodings)
    return {label for label in labels if any(one.is_tag(label) for one in known)}


def are_chunk_labels(labels: Iterable[str]) -> bool:
    """Whether all labels of a set are chunk labels of some encoding that shows it, and not all are O."""
    found = set(labels)
    return bool(found - {OUTSIDE}) and tags_among(found, shown_encodings().values()) == found


def spans(tags: Sequence[str]) -> list[Span]:
    """The chunks of a sentence, from its tags in any encoding, malformed or not, as conlleval reads them.

    >>> riata.spans(["B-PER", "I-PER", "O", "B-LOC"])
    [Span(start=0, end=2, type='PER'), Span(start=3, end=4, type='LOC')]
    """
    if not is_list(tags) or not all(isinstance(tag, str) for tag in tags):
        raise DataError(
            f"the tags are {printed(tags):.80}; expected a list of strings.",
            remedy="Give the tags of one sentence: [riata.spans(tags) for tags in predictions].",
        )
    return spans_of(tags, extended=is_extended(tags))
