"""Roles of predicates' arguments by a labeller of slots: data to slots, labels of slots to propositions."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.data.propbank import COLUMNS, RoleCorpus
from riata.data.types import Column, Corpus, Ids, PerSentence, Span
from riata.errors import DataError, SettingError, UnknownNameError, UnsupportedError
from riata.estimators.columns import Columns
from riata.estimators.evaluating import Evaluating
from riata.estimators.fitting import Fitting
from riata.estimators.input_check import check_of, profile_of
from riata.estimators.notes import warn_text
from riata.estimators.predicting import Predicting
from riata.features.roles.properties import PROPERTIES, SPAN
from riata.features.roles.slots import NO_ROLE, RoleSlots, slots_of
from riata.inference.constraints.at_most import at_most
from riata.inference.constraints.base import Constraint
from riata.inference.constraints.no_overlap import no_overlap
from riata.inference.constraints.requires import requires

if TYPE_CHECKING:
    from riata.estimators.labelled_files import Additions
    from riata.inference.rules.slots import LabelNames, Slots
    from riata.learning.events import Listener
    from riata.scoring.evaluation import Evaluation


GIVEN, FOUND = "given", "found"
ROLES = "roles"  # for constraints: those of the task
BOUNDARIES = (FOUND, GIVEN)
READ = [COLUMNS.index(name) for name in ("word", "lemma", "upos", "xpos", "relation", "bracket")]
SCALE = 64.0  # scores are divided by it, so that exponentials of their differences stay within range


class RoleColumns(Columns):
    """Takes a RoleCorpus wherever sentences are taken, and reads its slots. A plain Corpus is one of slots, as `slots` makes them."""

    def slots(self, X: Any) -> RoleSlots:
        """The slots of all predicates, with the columns that templates read and, last, their roles."""
        if self.estimator.boundaries not in BOUNDARIES:
            raise UnknownNameError.of("value of boundaries", self.estimator.boundaries, BOUNDARIES)
        if not isinstance(X, RoleCorpus):
            raise DataError(
                f"expected a RoleCorpus, found {type(X).__name__}.",
                remedy='Read a file with riata.read_propbank(path), or riata.load("srl").',
            )
        if self.estimator.boundaries == GIVEN:
            X.check_labelled("labelling arguments whose boundaries are given")
        return slots_of(X, given=self.estimator.boundaries == GIVEN)

    def read(self, X: RoleCorpus) -> RoleSlots:
        """The slots of data that are compared with the training data first."""
        super().look(X.select(READ))
        return self.slots(X)

    def look(self, inputs: Corpus) -> None:
        """Slots are made of the columns that have been looked at."""

    @property
    def fewest_inputs(self) -> int:
        """Constraints read the spans of slots, whatever the template reads."""
        return len(PROPERTIES) if self.estimator.constraints is not None else 0

    def slots_of(self, corpus: Corpus, names: LabelNames) -> Sequence[Slots]:
        """Spans and properties, for constraints."""
        if corpus.width < len(PROPERTIES):
            raise DataError(
                f"constraints of roles read the spans of slots; found {corpus.width:,} columns, expected {len(PROPERTIES)}.",
                remedy="Give a RoleCorpus, such as riata.read_propbank(path), or leave out constraints.",
                file=corpus.name,
            )
        from riata.inference.kept import columns_of_slots
        from riata.inference.rules.slots import Slots

        at = corpus.columns[PROPERTIES.index(SPAN)]
        ends = np.array([text.split("-") for text in at.alphabet.texts()], np.int32).reshape(-1, 2)
        columns, spans = columns_of_slots(corpus, PROPERTIES), ends[at.ids]
        return [
            Slots(high - low, names, spans[low:high], columns(low, high))
            for low, high in pairwise(corpus.starts.tolist())
        ]

    def with_output(self, X: Any, y: Any = None, *, unknown: bool = False) -> Corpus:
        """The slots with their roles. y: propositions of all sentences, in place of those of X."""
        if not isinstance(X, RoleCorpus):
            return super().with_output(X, y, unknown=unknown)
        corpus = X if y is None else X.with_propositions(y)
        corpus.check_labelled("training")
        return self.slots(corpus).corpus

    def scored_data(self, X: Any, y: Any = None) -> Corpus:
        if not isinstance(X, RoleCorpus):
            return super().scored_data(X, y)
        corpus = X if y is None else X.with_propositions(y)
        corpus.check_labelled("scoring")
        return corpus

    def sentences(self, X: Any) -> Corpus:
        return self.read(X).corpus if isinstance(X, RoleCorpus) else super().sentences(X)

    def scored_columns(self, corpus: Corpus) -> Corpus:
        if not isinstance(corpus, RoleCorpus):
            return super().scored_columns(corpus)
        corpus.check_labelled("scoring")
        return corpus

    def with_gold(self, X: Any, y: Any) -> Corpus:
        if isinstance(X, RoleCorpus):
            X, y = X if y is None else X.with_propositions(y), None
            X.check_labelled("scoring")
        return super().with_gold(X, y)

    def gold_columns(self, data: Corpus) -> Sequence[Column]:
        return super().gold_columns(self.sentences(data))

    def reading(self, *columns: Any, **options: Any) -> Any:
        raise SettingError("a file of roles has its own columns.", remedy="Leave out --inputs and --outputs.")


class RoleFitting(Fitting):
    """Learns from the slots of a RoleCorpus, or of one and its propositions. sample_weight: one for each predicate that has slots."""

    def fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, *, sample_weight: Any, listener: Listener | None) -> None:
        estimator = self.estimator
        if estimator.stream:
            raise UnsupportedError(
                "stream=True reads files of columns in parts; files of roles are read whole.",
                remedy="Leave out stream.",
            )
        if not isinstance(X, RoleCorpus):
            super().fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)
            return
        slots = self.columns.with_output(X, y)
        roles = slots.columns[-1]
        estimator._roles = [roles.alphabet.text(int(i)) for i in roles.used()]
        try:
            super().fit(slots, None, X_dev, y_dev, sample_weight=sample_weight, listener=listener)
        finally:
            del estimator._roles
        estimator._input = check_of(profile_of(X.select(READ), len(READ))) if estimator.check_input else None

    def development(self, dev: Any) -> Any:
        return self.columns.with_output(dev) if isinstance(dev, RoleCorpus) else dev


class RolePredicting(Predicting):
    """The propositions of every sentence, with the roles of their arguments; of plain slots, their labels."""

    def predict(self, X: Any, **options: Any) -> Any:
        if not isinstance(X, RoleCorpus):
            return super().predict(X, **options)
        decode, constraints = options.pop("decode", None), options.pop("constraints", None)
        asked = [name for name, value in options.items() if value not in (None, False)]
        if asked:
            raise UnsupportedError(
                f"{asked[0]} is for labels of tokens; a RoleCorpus has predicates and spans.",
                remedy=f"Leave out {asked[0]}, or label the slots: labeler.slots(X).corpus.",
            )
        if constraints is not None or decode is not None:
            return self._asked(decode, constraints).predict(X)
        self.estimator._check_fitted()
        _tell_without_predicates(X.name, any(X.propositions) or not len(X))
        return self._labelled(X)

    def _labelled(self, X: RoleCorpus) -> PerSentence:
        slots = self.estimator.columns.read(X)
        return self.propositions(X, slots, self.legal_ids(slots))

    def predict_ids(self, X: Any) -> Ids:
        """Labels of all slots as numbers, indices of `classes_`. Those of a RoleCorpus never overlap."""
        if not isinstance(X, RoleCorpus):
            return super().predict_ids(X)
        self.estimator._check_fitted()
        return self.legal_ids(self.estimator.columns.read(X))

    def legal_ids(self, slots: RoleSlots) -> Ids:
        """Labels of slots, of which those that overlap are thinned out: of every predicate the set with the best sum of scores is kept.

        The score of an argument is that of its label minus that of NO_ROLE.
        """
        if not slots.corpus.tokens:
            return np.empty(0, np.int32)
        ids = self.labels_of(self.columns.input_columns(slots.corpus))
        if NO_ROLE not in self.estimator.classes_:
            if self.estimator.boundaries == FOUND:
                raise UnsupportedError(
                    "the model gives every slot a role, so it was trained with boundaries='given' and cannot find arguments.",
                    remedy="Train with boundaries='found'.",
                )
            return ids
        none = self.estimator.classes_.index(NO_ROLE)
        wrong = slots.overlapping(ids != none)
        if len(wrong):
            found, part = ids.copy(), slots.corpus[wrong]
            rows = self._scores(part)
            for k, predicate in enumerate(wrong):
                low, high = slots.corpus.starts[predicate : predicate + 2]
                here = rows[part.starts[k] : part.starts[k + 1]]
                gains = here[np.arange(high - low), ids[low:high]] - here[:, none]
                chosen = np.flatnonzero(ids[low:high] != none)
                kept = best_apart(slots.spans[low:high][chosen], gains[chosen])
                found[low + np.delete(chosen, kept)] = none
            ids = found
        return ids

    def _scores(self, corpus: Corpus) -> Any:
        """[N, classes] scores of labels, up to a number per slot: logarithms of probabilities."""
        probabilities, _ = self.model.probabilities(self.columns.input_columns(corpus), SCALE)
        return np.log(np.maximum(probabilities, 1e-300))

    def propositions(self, X: RoleCorpus, slots: RoleSlots, ids: Ids) -> PerSentence:
        found = [[one.with_roles(()) for one in each] for each in X.propositions]
        starts = slots.corpus.starts
        for p, (s, k) in enumerate(zip(slots.sentence.tolist(), slots.proposition.tolist(), strict=True)):
            roles = [
                Span(int(a), int(b), self.estimator.classes_[label])
                for (a, b), label in zip(
                    slots.spans[starts[p] : starts[p + 1]], ids[starts[p] : starts[p + 1]], strict=True
                )
                if self.estimator.classes_[label] != NO_ROLE
            ]
            found[s][k] = X.propositions[s][k].with_roles(roles)
        return PerSentence(found)

    def own_answers(self, file: str | Path, shown: Additions, threads: int, **asked: Any) -> Generator[bytes]:
        """The bytes of a file of roles with predicted columns, batch by batch as they can be read. Must be closed."""
        from riata.data.propbank import formatted, stream
        from riata.parallel import in_order

        given = {**vars(shown), **asked}
        for name, value in given.items():
            if value not in (None, False):
                raise UnsupportedError(
                    f"{name} is for labels of tokens; files of roles have predicates and spans.",
                    remedy=f"Leave out --{name.replace('_', '-')}.",
                )
        stopped, found = threading.Event(), [False]

        def answer(batch: RoleCorpus) -> bytes:
            found[0] |= any(batch.propositions)
            return b"".join(formatted(batch.with_propositions(self._labelled(batch))))

        def answers() -> Generator[bytes]:
            yield from in_order(answer, stream(file, stopped), threads, stopped)
            _tell_without_predicates(str(file), found[0])

        return answers()


class RoleEvaluating(Evaluating):
    """Precision, recall and F1 by role, as CoNLL-2005 counts them, and accuracies; of plain slots, accuracy."""

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        if not isinstance(X, RoleCorpus):
            return super().evaluate(X, y, predicted=predicted)
        from riata.scoring.roles import evaluate_roles

        self.estimator._check_fitted()
        predicting = self.estimator.predicting
        gold = X if y is None else X.with_propositions(y)
        gold.check_labelled("scoring")
        _tell_without_predicates(gold.name, any(gold.propositions) or not len(gold))
        slots = self.estimator.columns.read(gold)
        ids = predicting.legal_ids(slots) if predicted is None else predicted
        return evaluate_roles(gold, predicting.propositions(gold, slots, ids))

    @staticmethod
    def compared_files(gold: RoleCorpus, predicted: RoleCorpus) -> Evaluation:
        """The scores of one file against another."""
        from riata.scoring.roles import evaluate_roles

        predicted.check_labelled("scoring")
        return evaluate_roles(gold, predicted.propositions)


def _tell_without_predicates(name: str, found: bool) -> None:
    if not found:
        warn_text(
            f"{name}: there are no predicates, so nothing is labelled. The model needs to be told them: a column has their lemmas."
        )


def best_apart(spans: Any, gains: Any) -> list[int]:
    """Of spans, [n][2], those that do not overlap and whose gains have the largest sum: weighted interval scheduling."""
    order = sorted(range(len(spans)), key=lambda i: (int(spans[i][1]), int(spans[i][0])))
    ends = [int(spans[i][1]) for i in order]
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for k, i in enumerate(order):
        before = int(np.searchsorted(ends[:k], int(spans[i][0]), side="right"))
        total, chosen = best[before]
        taken = (total + float(gains[i]), (*chosen, i))
        best.append(taken if taken[0] > best[k][0] else best[k])
    return sorted(best[-1][1])


CORE = re.compile(r"ARG[0-5A]")  # numbered arguments, which a predicate has once
REFERS = re.compile(r"[RC]-(.+)")  # a reference to another argument, or the rest of one


def role_constraints(roles: Iterable[str], *, overlap: bool = True) -> list[Constraint]:
    """No two arguments overlap, no core argument is repeated, and R-X and C-X need X (Punyakanok, Roth, Yih & Zimak 2005, Sec. 5.2).

    roles: the labels of the task; constraints are about those that it has. C-V, the rest of the predicate, needs nothing.
    overlap: whether slots may overlap; given spans do not.
    """
    known = list(dict.fromkeys(roles))
    chosen = [role for role in known if role != NO_ROLE]
    found: list[Constraint] = [no_overlap(*chosen)] if overlap and chosen else []
    found += [at_most(1, role) for role in known if CORE.fullmatch(role)]
    for role in known:
        match = REFERS.fullmatch(role)
        if match is not None and match[1] in known:
            found.append(requires(role, match[1]))
    return found
