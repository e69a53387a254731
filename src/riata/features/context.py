"""Context: what the labels of a first pass over a text tell a second pass, as attributes of every token.

A token does not vote about itself, nor does a chunk: an attribute is what the rest of the text says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riata._core import Alphabet, context_votes
from riata.data.encodings.base import chunk_flags, split_tag
from riata.data.types import Column, Ids, Starts, interned
from riata.features.attributes import lower
from riata.features.compile import Types
from riata.features.templates import OF_TAGS

NOTHING = "_"  # nobody has voted
MOST_WORDS = 1 << 20  # number of words that are kept between parts of a stream


@dataclass(eq=False)
class Votes:
    """Sentences that were labelled by a first pass, one part of a text after another, and their votes about each other."""

    labels: Sequence[str]  # labels of the first pass
    chunks: Sequence[str] | None  # the chunk label in each of these; None: there are none
    words: Alphabet = field(default_factory=Alphabet)
    lower: Alphabet = field(default_factory=Alphabet)
    word_ids: Ids = field(default_factory=lambda: np.empty(0, np.int32))
    lower_ids: Ids = field(default_factory=lambda: np.empty(0, np.int32))
    label_ids: Ids = field(default_factory=lambda: np.empty(0, np.int32))
    starts: Starts = field(default_factory=lambda: np.zeros(1, np.int64))

    def __post_init__(self) -> None:
        nothing = (np.empty(0, np.int32), np.empty(0, np.uint8))
        self._types, self._goes_on = nothing if self.chunks is None else chunk_flags(self.chunks)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def add(self, words: Column, labels: Ids, starts: Starts) -> None:
        """Adds sentences with their labels."""
        known = self.words.add_all(words.alphabet)[words.ids]
        types = Types.of(Column(self.words, known))
        lowered = types.values("lower", lower, self.lower, grow=True, look=self.lower.add_many)
        self.word_ids = np.concatenate([self.word_ids, known])
        self.lower_ids = np.concatenate([self.lower_ids, lowered])
        self.label_ids = np.concatenate([self.label_ids, labels.astype(np.int32, copy=False)])
        self.starts = np.concatenate([self.starts, self.starts[-1] + starts[1:] - starts[0]])

    def forget(self, sentences: int) -> None:
        """Drops this number of sentences from the beginning; words that have not occurred for long are dropped with them."""
        token = int(self.starts[sentences])
        self.word_ids, self.lower_ids, self.label_ids = (
            ids[token:] for ids in (self.word_ids, self.lower_ids, self.label_ids)
        )
        self.starts = self.starts[sentences:] - token
        if len(self.words) > MOST_WORDS:
            (self.words, self.word_ids), (self.lower, self.lower_ids) = (
                _renumbered(self.words, self.word_ids),
                _renumbered(self.lower, self.lower_ids),
            )

    def columns(self, groups: Ids | None, window: int, first: int = 0) -> tuple[Column, ...]:
        """The columns of context, in the order of SUMMARIES, for the sentences from `first` on.

        groups: [S] equal for sentences of one document; None: votes come from `window` sentences before.
        """
        if groups is not None and np.count_nonzero(np.diff(groups)) >= len(np.unique(groups)) > 0:
            return self._of_scattered(groups, first)
        found = context_votes(
            self.word_ids,
            self.lower_ids,
            self.label_ids,
            self.starts,
            self._types,
            self._goes_on,
            np.empty(0, np.int32) if groups is None else groups,
            window,
            first,
        )
        guess = self.label_ids[self.starts[first] :]
        texts = [*self.labels, NOTHING]
        columns = [_column(texts, ids) for ids in (guess, *found[: OF_TAGS - 1])]
        if self.chunks is not None:
            types = [split_tag(label)[1] for label in self.chunks]
            tags = [tag for type_ in types for tag in (f"B-{type_}", f"I-{type_}")]
            columns += [_column([*tags, NOTHING], ids) for ids in found[OF_TAGS - 1 :]]
        return tuple(columns)

    def _of_scattered(self, groups: Ids, first: int) -> tuple[Column, ...]:
        """The same of documents whose sentences are not neighbours, as in slices: the core counts runs of one group."""
        order = np.argsort(groups, kind="stable")
        lengths = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.starts[:-1][order] - starts[:-1], lengths) + np.arange(starts[-1])
        ids = {name: getattr(self, name)[at] for name in ("word_ids", "lower_ids", "label_ids")}
        columns = replace(self, starts=starts, **ids).columns(groups[order], 0)
        back = np.argsort(at)[self.starts[first] :]
        return tuple(Column(column.alphabet, column.ids[back]) for column in columns)


def _column(texts: list[str], ids: Ids) -> Column:
    """ids: indices of the texts, which may contain repetitions; -1 is the last text."""
    alphabet, table = interned(texts)
    return Column(alphabet, table[ids])


def _renumbered(alphabet: Alphabet, ids: Ids) -> tuple[Alphabet, Ids]:
    used, back = np.unique(ids, return_inverse=True)
    kept = Alphabet()
    return kept, kept.add_many(alphabet.texts_of(used.astype(np.int32)))[back]
