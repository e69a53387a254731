"""Propositions: predicates of sentences and the spans that are their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Corpus, Span
from riata.errors import DataError

COLUMNS = ("number", "word", "lemma", "upos", "xpos", "head", "relation", "bracket", "predicate", "roleset")
VERB = "V"  # the label of the predicate itself in its column
NONE = "-"  # in the columns of predicates: no predicate


@dataclass(frozen=True)
class Proposition:
    """A predicate, by the number of its token from 0, and the spans of its column, that of the predicate itself (V) among them.

    arguments: None where the file has no column for them.

    >>> riata.Proposition(1, (riata.Span(0, 1, "A0"), riata.Span(1, 2, "V")))
    Proposition(predicate=1, arguments=(Span(start=0, end=1, type='A0'), Span(start=1, end=2, type='V')))
    """

    predicate: int
    arguments: tuple[Span, ...] | None = None

    @property
    def roles(self) -> tuple[Span, ...]:
        """The arguments without the predicate itself."""
        return tuple(span for span in self.arguments or () if span.type != VERB)

    def with_roles(self, roles: Sequence[Span]) -> Proposition:
        """The same predicate with these arguments, beside its own span, of which its token alone stays if they overlap it."""

        def apart(span: Span) -> bool:
            return not any(span.start < end and start < span.end for start, end, _ in roles)

        own = [span for span in self.arguments or () if span.type == VERB and apart(span)]
        if not own and apart(token := Span(self.predicate, self.predicate + 1, VERB)):
            own = [token]
        return Proposition(self.predicate, tuple(sorted([*own, *(Span(*span) for span in roles)])))


@dataclass(frozen=True, eq=False)
class RoleCorpus(Corpus):
    """Sentences in the ten columns of `COLUMNS`, and the propositions of each. Slices keep theirs.

    >>> corpus = riata.load("embedded-roles", "train")
    >>> len(corpus), len(corpus.propositions)
    (12, 12)
    >>> corpus.propositions[0][0].arguments[0]
    Span(start=0, end=2, type='ARG0')
    """

    propositions: tuple[tuple[Proposition, ...], ...] = ()  # [S]

    def _subset(self, chosen: NDArray[np.int64]) -> RoleCorpus:
        found = super()._subset(chosen)
        assert isinstance(found, RoleCorpus)
        return replace(found, propositions=tuple(self.propositions[i] for i in chosen))

    def select(self, columns: Sequence[int]) -> Corpus:
        """These columns as a corpus without propositions; all of them, in order: the corpus itself."""
        if list(columns) == list(range(self.width)):
            return self
        fields = {name: getattr(self, name) for name in Corpus.__dataclass_fields__}
        return Corpus(**fields).select(columns)

    def with_propositions(self, propositions: Any) -> RoleCorpus:
        """The same sentences with other propositions, such as predicted ones: a list of them for every sentence."""
        made = tuple(tuple(each) for each in propositions)
        if len(made) != len(self):
            raise DataError(f"found propositions of {len(made)} sentences for {len(self)} sentences; expected as many.")
        for s, (mine, theirs) in enumerate(zip(self.propositions, made, strict=True)):
            if not all(isinstance(one, Proposition) for one in theirs):
                raise DataError(f"sentence {s} holds something that is no Proposition.")
            if [one.predicate for one in mine] != [one.predicate for one in theirs]:
                raise DataError(
                    f"sentence {s} has other predicates: {[one.predicate for one in theirs]}, where the corpus has "
                    f"{[one.predicate for one in mine]}.",
                    remedy="Give one proposition for every predicate of the sentence, in the order of the corpus.",
                )
        return replace(self, propositions=made)

    def check_labelled(self, what: str) -> None:
        """Refuses sentences with predicates whose arguments are not known. what: the thing that needs them, in words."""
        for s, propositions in enumerate(self.propositions):
            if any(one.arguments is None for one in propositions):
                raise DataError(
                    f"{what} needs the arguments of every predicate, and this sentence has no columns for them.",
                    remedy="Give a file with one more column for each predicate of a sentence.",
                    file=self.name,
                    line=self.line_of(int(self.starts[s])),
                )

    def __repr__(self) -> str:
        number = sum(map(len, self.propositions))
        return f"<RoleCorpus {self.name}: {len(self):,} sentences, {self.tokens:,} tokens, {number:,} predicates>"
