"""Heads and relations: what differs in estimators of dependency trees. Tags beside the words are those of the data, or those that a
first stage gives, or they are chosen with the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.data.files import says_nothing
from riata.data.memory import as_corpus, is_empty
from riata.data.pairs import split_column
from riata.data.trees import check_trees, tree_codes, tree_columns, with_trees
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import UnknownNameError, UnsupportedError
from riata.estimators.confidence import Confidence
from riata.estimators.evaluating import Evaluating
from riata.estimators.explaining import Explaining
from riata.estimators.notes import warn_of
from riata.estimators.pairs import PairColumns, PairFitting, PairLabels
from riata.estimators.predicting import Predicting

if TYPE_CHECKING:
    from riata.choosing.options import Options
    from riata.estimators.joint_tags import JointTags
    from riata.estimators.tag_stage import TagStage
    from riata.inference.rules.slots import LabelNames, Slots
    from riata.learning.events import Listener
    from riata.models.model import Model
    from riata.scoring.evaluation import Evaluation
    from riata.scoring.search_errors import SearchErrors

GIVEN, OWN, JOINT = "given", "own", "joint"
WAYS = (GIVEN, OWN, JOINT)


def check_way(tags: Any) -> None:
    if tags not in (None, *WAYS):
        raise UnknownNameError.of("value of tags", str(tags), WAYS)


class TreeLabels(PairLabels):
    """A head and a relation per token."""

    names = ("heads", "relations")

    @staticmethod
    def with_pairs(corpus: Corpus, y: Any) -> Corpus:
        return with_trees(corpus, y)

    @staticmethod
    def check_gold(corpus: Corpus) -> None:
        check_trees(corpus)

    @property
    def chunk_outputs(self) -> tuple[bool, ...]:
        return False, False

    def label_ids(self, column: Column) -> Ids:
        return tree_codes(column, self.model.labels)

    def true_ids(self, data: Corpus, model: Model) -> Ids:
        from riata.learning.arcs import RelationSet
        from riata.learning.labels import LabelSet
        from riata.learning.structure import label_ids

        label_ids(data, RelationSet(model.labels, {}, None))  # refuses unknown relations
        if data.true_tags is not None:  # refuses unknown tags
            tags = replace(data, columns=(data.true_tags,), origin=None)
            label_ids(tags, LabelSet(model.outputs.chosen, {}, None))
        return tree_codes(data.columns[-1], model.labels)

    def as_outputs(self, ids: Ids) -> list[Any]:
        classes = self.estimator.classes_
        heads, relations = np.divmod(ids, len(classes))
        return [(head, classes[relation]) for head, relation in zip(heads.tolist(), relations.tolist(), strict=True)]

    def as_given_out(self, outputs: list[list[str | None]]) -> list[Any]:
        heads, relations = outputs
        return [
            (None if head is None else int(head), relation) for head, relation in zip(heads, relations, strict=True)
        ]

    def output_columns(self, ids: Ids) -> Sequence[Column]:
        return tree_columns(ids, self.estimator.classes_)

    def evaluated(self, gold: Column, predicted: Ids, starts: Starts) -> Evaluation:
        return self.compared(split_column(gold), self.output_columns(predicted), starts, chunks=False)

    @staticmethod
    def compared(gold: Sequence[Column], found: Sequence[Column], starts: Starts, *, chunks: bool) -> Evaluation:
        from riata.scoring.evaluation import evaluate_trees

        return evaluate_trees((gold[0], gold[1]), (found[0], found[1]), starts)


class TreeColumns(PairColumns):
    """Words and, beside them, tags."""

    @property
    def taggers(self) -> tuple[Any, ...]:
        """Those whose tags are read; none if the tags of the data are."""
        estimator = self.estimator
        check_way(estimator.tags)
        found: tuple[Any, ...] = estimator.taggers_
        if estimator.tags == GIVEN:
            return ()
        if not hasattr(estimator, "model_"):
            return found
        if not found and estimator.tags is not None:
            raise UnsupportedError(
                f"tags is {estimator.tags!r}, but the model was trained with the tags of the data and has no taggers.",
                remedy=f"Set tags='given', or train with tags={estimator.tags!r}.",
            )
        if estimator.tags == JOINT and not estimator.model_.outputs.chosen:
            raise UnsupportedError(
                "tags is 'joint', but the model was not trained to choose tags.",
                remedy="Set tags='own', or train with tags='joint'.",
            )
        return found

    @property
    def stage(self) -> TagStage:
        from riata.estimators.tag_stage import TagStage

        return TagStage(self.estimator)

    def tagger_counts(self) -> set[int]:
        number = len(self.estimator.inputs_) - 1
        return {0, number} if self.estimator.tags in (None, GIVEN) else {number}

    @property
    def needed(self) -> tuple[int, ...]:
        inputs: tuple[int, ...] = self.estimator.inputs_
        return inputs[:1] if self.taggers else inputs

    @property
    def tags_read(self) -> str | None:
        if len(self.estimator.inputs_) < 2:
            return None
        return self.estimator.tags or (OWN if self.estimator.taggers_ else GIVEN)

    def own_columns(self, corpus: Corpus) -> Corpus:
        taggers, found = self.taggers, self.data_columns(corpus)
        return self.stage.inputs(found, taggers) if taggers else found

    def tagged(self, corpus: Corpus) -> Corpus:
        """The corpus with the tags of its own taggers, if it has such taggers: in place of those of the data, or after its columns. Joint
        tags are those that it chooses with the output.
        """
        taggers = self.taggers
        if not taggers:
            return corpus
        if self.estimator.tags == JOINT:
            return joint_tags(self).tagged(corpus)[0]
        return self.stage.tagged(corpus, taggers)

    def before_lists(self, corpus: Corpus) -> Corpus:
        if self.estimator.tags != JOINT:
            return super().before_lists(corpus)
        return joint_tags(self).with_context(corpus)

    def with_listed_tags(self, repeated: Corpus, tags: Column) -> Corpus:
        assert repeated.context is not None
        return self.stage.replacing(repeated, (*repeated.context[:-1], tags), repeated.context)

    def chosen_tags(self) -> tuple[str, ...]:
        return self.model.outputs.chosen if self.estimator.tags == JOINT else ()

    def slots_of(self, corpus: Corpus, names: LabelNames) -> Sequence[Slots]:
        """Tags of its own have the numbers of the columns that they stand for. Joint tags are not known before the output is."""
        added = min(corpus.origins) < 0  # the numbers of columns that were added
        if self.estimator.taggers_ and added and corpus.width == len(self.estimator.inputs_):
            first, tags = corpus.origins[0], self.stage.tag_columns(corpus)
            corpus = corpus if first in tags else replace(corpus, origin=(first, *tags))
        if self.estimator.tags == JOINT:
            corpus = joint_tags(self).unread(corpus)
        return super().slots_of(corpus, names)

    def scored_columns(self, corpus: Corpus) -> Corpus:
        found = super().scored_columns(corpus)
        if self.estimator.tags == JOINT:
            return replace(found, true_tags=joint_tags(self).true_tags(corpus, self.estimator.outputs))
        return replace(found, true_tags=corpus.true_tags)


def joint_tags(part: Any) -> JointTags:
    from riata.estimators.joint_tags import JointTags

    return JointTags(part.estimator)


class TreeFitting(PairFitting):
    """Learns from trees. With tags="own", taggers learn the tags of the data, and the tags that they give are read instead. With
    tags="joint", those of the last column are learnt with the output.
    """

    def __init__(self, estimator: Any) -> None:
        super().__init__(estimator)
        self.taggers: tuple[Any, ...] = ()  # those of this training
        self._left_out: tuple[int, ...] = ()  # columns of its data that say nothing

    def fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, *, sample_weight: Any, listener: Listener | None) -> None:
        estimator = self.estimator
        check_way(estimator.tags)
        if estimator.stream:  # which parsers refuse
            if estimator.tags not in (None, GIVEN):
                self._check_all_data("fit")
            super().fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)
            return
        X, tell = as_corpus(X), warn_of if listener is None else listener
        if not X.is_wordless or estimator.tags not in (None, GIVEN):
            from riata.choosing.sample_weight import weighed

            data, sample_weight = weighed(self.columns.with_output(X, y, unknown=True), sample_weight)
            X, y = self._informative(data, tell, goes_on=estimator.warm_start), None
            if X_dev is not None:
                X_dev, y_dev = self._as_learnt(self.columns.with_output(X_dev, y_dev)), None
        if self._way(X, tell) != GIVEN:
            self._check_all_data("fit")
            if estimator.tags == JOINT:
                joint_tags(self).check_offered()
            stage = estimator.columns.stage
            X, self.taggers = stage.learn(X, tell)
            if X_dev is not None:
                X_dev = stage.anew(X_dev, self.taggers)
        elif estimator.warm_start:
            self._tell_of_dropped(tell)
        super().fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)

    def _tell_of_dropped(self, tell: Listener) -> None:
        """Says that a model that goes on without its own taggers loses them."""
        from riata.learning.events import Note

        if self.estimator.taggers_:
            text = "The model's own taggers are dropped: with tags='given', it reads the tags of the data from now on."
            tell(Note(text, warning=True))

    def _way(self, data: Corpus, tell: Listener) -> str:
        """How tags are read in this training."""
        from riata.learning.events import Note

        estimator = self.estimator
        if estimator.tags is not None:
            return str(estimator.tags)
        if estimator.warm_start and estimator.taggers_:
            return OWN  # which is refused
        if estimator.warm_start:
            why = "warm_start=True goes on from a model that has seen the data"
        elif data.is_wordless or data.width - estimator.outputs < 2:
            return GIVEN  # there are none
        elif len(data) < 2:
            why = "one sentence is too little for taggers"
        else:
            return OWN
        tell(Note(f"Tags are read as they are in the data (tags='given'): {why}."))
        return GIVEN

    def _informative(self, data: Corpus, tell: Listener, *, goes_on: bool) -> Corpus:
        """The data without columns of tags that are the same throughout, where templates adapt to this. goes_on: from the present model,
        which has been told of such columns.
        """
        from riata.choosing.options import checked
        from riata.learning.events import Note

        estimator = self.estimator
        read = estimator.inputs_ if goes_on and hasattr(estimator, "model_") else ()
        tags = range(1, data.width - estimator.outputs) if data.tokens else ()
        silent = [at for at in tags if says_nothing(data.columns[at]) and data.origins[at] not in read]
        if not silent or not checked(estimator, goes_on=goes_on).adapts:
            return data
        self._left_out = tuple(data.origins[at] for at in silent)
        for at in silent:
            value = data.columns[at].texts()[0]
            tell(Note(f"{data.column_name(at)} is {value!r} throughout: it is left out.", warning=not read))
        return self._as_learnt(data)

    def _as_learnt(self, data: Corpus) -> Corpus:
        """The columns of data that training reads."""
        kept = [column for column, origin in enumerate(data.origins) if origin not in self._left_out]
        return data if len(kept) == data.width else data.select(kept)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[str] | None, sample_weight: Any) -> None:
        """Reads tags as they are in the data. With tags="own" and tags="joint", it is refused."""
        from riata.learning.events import ignore

        estimator = self.estimator
        if (estimator.tags or (OWN if estimator.taggers_ else GIVEN)) != GIVEN:
            self._check_all_data("partial_fit")
        X = as_corpus(X)
        self._tell_of_dropped(warn_of)
        if hasattr(estimator, "model_") and not X.is_wordless:
            X, y = self._informative(self.columns.with_output(X, y), ignore, goes_on=True), None
        super().partial_fit(X, y, classes, sample_weight)

    def development(self, dev: Any) -> Any:
        if not (self.taggers or self._left_out) or dev is None or isinstance(dev, (int, float)):
            return dev
        data = self._as_learnt(as_corpus(dev))
        return self.estimator.columns.stage.anew(data, self.taggers) if self.taggers else data

    def keep(self, made: Any, *learnt: Any) -> None:
        super().keep(made, *learnt)
        made.taggers_ = self.taggers

    def _check_all_data(self, method: str) -> None:
        """Refuses what gives a part of the data at a time, or goes on from a model that has seen them."""
        estimator = self.estimator
        for asked, what in (
            (estimator.stream, "stream=True gives a part of the data at a time"),
            (estimator.warm_start, "warm_start=True goes on from a model that has seen the data"),
            (method == "partial_fit", "partial_fit goes on from a model that has seen the data"),
        ):
            if asked:
                has = f"tags is {estimator.tags!r}" if estimator.tags else "the model has taggers of its own"
                raise UnsupportedError(
                    f"{has}, but {what}, and tags must come from taggers that have not seen the sentence.",
                    remedy="Train anew on all data, or read tags as they are in the data: tags='given' (--tags given).",
                )


class TreePredicting(Predicting):
    """With joint tags, one search chooses trees and tags."""

    def labeller(self) -> Callable[[Corpus], tuple[Corpus, Sequence[Column]]]:
        if self.estimator.tags != JOINT:
            return super().labeller()
        joint = joint_tags(self)
        return lambda corpus: joint.tagged(corpus, 1)

    def labels_of(self, inputs: Corpus) -> Ids:
        return super().labels_of(inputs) if self.estimator.tags != JOINT else joint_tags(self).labels_of(inputs)

    def nbest_and_tags(self, X: Any, k: int) -> tuple[list[list[tuple[Ids, float]]], Column | None]:
        if self.estimator.tags != JOINT:
            return super().nbest_and_tags(X, k)
        return joint_tags(self).nbest_and_tags(*self.asked_for_best(X, k))


class TreeConfidence(Confidence):
    """Any other token may be the head of a token."""

    def predict_proba(self, X: Any, *, given: Any = None) -> list[Any]:
        raise UnsupportedError(
            "A token may have any other token as its head, so there is no table of probabilities of all its labels.",
            remedy="predict_confidence gives those of what is predicted; predict_nbest(..., probabilities=True) those of whole trees.",
        )


class TreeEvaluating(Evaluating):
    """With joint tags, these are judged, too: in the metric `tags`, and as part of what is wrong."""

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        if self.estimator.tags != JOINT or is_empty(X):
            return super().evaluate(X, y, predicted=predicted)
        joint = joint_tags(self)
        corpus = joint.with_context(self.columns.sentences(X))
        if predicted is None:
            predicted = self.estimator.predict_ids(corpus)
        found = super().evaluate(corpus, y, predicted=predicted)
        return joint.with_accuracy(found, corpus, predicted, outputs=self.estimator.outputs if y is None else 0)

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        if self.estimator.tags != JOINT or is_empty(X):
            return super().search_errors(X, y, predicted=predicted)
        joint = joint_tags(self)
        corpus = joint.with_context(self.columns.sentences(X))
        pairs, tags = joint.told(corpus, y)
        if tags is None:
            return super().search_errors(corpus, pairs, predicted=predicted)
        return joint.search_errors(corpus, pairs, tags, predicted)


class TreeExplaining(Explaining):
    """With joint tags, the truth of traces and explanations has the tags of the data, if they have them. Labels that are given apart have
    tags as a third part, or leave them open.
    """

    def true_labels(self, corpus: Corpus, y: Any, options: Options) -> list[str]:
        if self.estimator.tags != JOINT:
            return super().true_labels(corpus, y, options)
        joint = joint_tags(self)
        pairs, tags = joint.told(corpus, y)
        return joint.with_tags(super().true_labels(corpus, pairs, options), tags)

    def whole_output(self, corpus: Corpus, constraints: Any = None) -> Any:
        if self.estimator.tags != JOINT:
            return super().whole_output(corpus, constraints)
        return joint_tags(self).whole_output(corpus, constraints)
