"""Slots: for each predicate a sequence of spans that may be its arguments, as a corpus whose columns are what templates read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata.data.propbank import RoleCorpus
from riata.data.types import Column, Corpus
from riata.features.roles.candidates import SpanEnds, candidates
from riata.features.roles.properties import OF_BOTH, OF_PREDICATES, OF_SPANS, SentenceProperties, places

NO_ROLE = "O"  # the label of a slot that is no argument
PHRASE = OF_SPANS.index("phrase")


@dataclass(frozen=True, eq=False)
class RoleSlots:
    """The predicates of a corpus that have slots. A sentence of the corpus of slots is one of them, and a token is a slot."""

    corpus: Corpus  # PROPERTIES, then the role of each slot
    sentence: NDArray[np.int64]  # [P] of the predicate
    proposition: NDArray[np.int64]  # [P] its number in the sentence
    spans: NDArray[np.int64]  # [N, 2] first token and end of each slot

    def overlapping(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The predicates of which some chosen slots share a token, in ascending order. chosen: [N]."""
        of = np.repeat(np.arange(len(self.corpus)), np.diff(self.corpus.starts))[chosen]
        spans = self.spans[chosen]
        order = np.lexsort((spans[:, 1], spans[:, 0], of))
        of, spans = of[order], spans[order]
        # Sorted by start, a span overlaps one before it exactly if some neighbours of the predicate overlap.
        meet = (of[1:] == of[:-1]) & (spans[1:, 0] < spans[:-1, 1])
        return np.unique(of[1:][meet])


def slots_of(corpus: RoleCorpus, *, given: bool) -> RoleSlots:
    """The slots of all predicates. given: the true spans; otherwise candidates, whose role is NO_ROLE where they are no argument.

    A slot of a predicate whose arguments are not known has the role NO_ROLE.
    """
    made = _Made()
    texts = [corpus.sentences_of(i) for i in range(corpus.width)]
    for s, propositions in enumerate(corpus.propositions):
        if not propositions:
            continue
        described = SentenceProperties([column[s] for column in texts])
        for k, proposition in enumerate(propositions):
            roles = {(span.start, span.end): span.type for span in proposition.roles}
            spans = (
                sorted(roles) if given else candidates(described.tree, described.dependencies, proposition.predicate)
            )
            if spans:
                made.add(s, k, spans, roles, described, proposition.predicate)
    return made.slots(corpus)


class _Made:
    """Slots that are collected predicate by predicate."""

    def __init__(self) -> None:
        self._of_spans: list[tuple[str, ...]] = []
        self._of_predicates: list[tuple[str, ...]] = []
        self._of_both: list[tuple[str, ...]] = []
        self._roles: list[str] = []
        self._ends: list[SpanEnds] = []
        self._lengths: list[int] = []
        self._whose: list[tuple[int, int]] = []

    def add(
        self,
        sentence: int,
        number: int,
        spans: list[SpanEnds],
        roles: dict[SpanEnds, str],
        described: SentenceProperties,
        predicate: int,
    ) -> None:
        found = [described.of_span(span) for span in spans]
        around = places(spans, predicate, [each[PHRASE] for each in found])
        self._of_spans += found
        self._of_predicates += [described.of_predicate(predicate)] * len(spans)
        self._of_both += [
            (*described.of_both(span, predicate), place) for span, place in zip(spans, around, strict=True)
        ]
        self._roles += [roles.get(span, NO_ROLE) for span in spans]
        self._ends += spans
        self._lengths.append(len(spans))
        self._whose.append((sentence, number))

    def slots(self, corpus: RoleCorpus) -> RoleSlots:
        starts = np.concatenate([[0], np.cumsum(self._lengths)]).astype(np.int64)
        columns: list[Column] = []
        for rows, names in ((self._of_spans, OF_SPANS), (self._of_predicates, OF_PREDICATES), (self._of_both, OF_BOTH)):
            texts = zip(*rows, strict=True) if rows else [()] * len(names)
            columns += [Column.of(list(each)) for each in texts]
        columns.append(Column.of([f"{start}-{end}" for start, end in self._ends]))
        columns.append(Column.of(self._roles))
        whose = np.array(self._whose, np.int64).reshape(-1, 2)
        sentence = whose[:, 0]
        document = sentence if corpus.document is None else corpus.document[sentence]
        made = Corpus(columns=tuple(columns), starts=starts, name=corpus.name, document=document.astype(np.int32))
        return RoleSlots(made, sentence, whose[:, 1], np.array(self._ends, np.int64).reshape(-1, 2))
