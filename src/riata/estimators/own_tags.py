"""Tags of its own: an estimator that reads tags beside words learns taggers for them, and reads what these give.

This is the default where training data have tags, since text to predict seldom has such tags, and never any so right.

For training, every sentence is tagged by taggers that have learnt neither from it nor from its document, so that what is learnt from has
the errors that predictions will meet.

Or the last of these tags are chosen together with the output, among those that the tagger finds likely: joint tags (Bohnet & Nivre 2012,
Sec. 3; Hatori, Matsuzaki, Miyao & Tsujii 2011). **Differs:** what is likely is said by probabilities of a tagger that has not seen the
sentence, and states may leave the truth while learning, since the regret of tags adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from riata.choosing.options import checked
from riata.choosing.passes import FOLDS
from riata.choosing.sample_weight import weighed
from riata.data.columns import with_texts
from riata.data.elsewhere import says_nothing
from riata.data.memory import as_corpus, is_empty
from riata.data.texts import interned
from riata.data.types import Column, Corpus, Ids
from riata.errors import DataError, UnknownNameError, UnsupportedError
from riata.estimators.constrained import Constrained
from riata.estimators.fitting import Fitting
from riata.estimators.in_context import followed
from riata.estimators.judging import Judging
from riata.estimators.likely_tags import likely
from riata.estimators.notes import warn_of
from riata.estimators.taggers import new_tagger, tags_apart
from riata.features.likely_tags import tags_in
from riata.inference.structure import CHOSEN_TAGS
from riata.learning.events import Listener, Note, ignore
from riata.learning.jackknife import folds_of
from riata.parallel import cores

if TYPE_CHECKING:
    from riata.inference.rules.slots import LabelNames, Slots
    from riata.scoring.evaluation import Evaluation

GIVEN, OWN, JOINT = "given", "own", "joint"
WAYS = (GIVEN, OWN, JOINT)

Self = TypeVar("Self", bound="OwnTags")  # typing.Self needs Python 3.11


class TaggedIds(np.ndarray[Any, Any]):
    """Labels as numbers, with the joint tags that were chosen with them, so that evaluating them takes no second search."""

    tags: Column | None = None


class Unread(Column):
    """A column of joint tags, which conditions of constraints cannot read."""

    def texts(self) -> list[str]:
        raise UnsupportedError(
            "a constraint reads tags that are chosen together with the tree: which tokens it is about is not known before.",
            remedy="Let it read another column, or train with tags='own'.",
        )


class OwnTags(Fitting, Judging, Constrained):
    """Reads words and tags: those of the data, or those of its own taggers, one for every input column after the first. Joint tags are
    those of the last input column.
    """

    tags: str | None  # None: own where training data have tags that taggers can learn, else given
    without_column = ", or train with tags='own' (--tags own), which needs words alone"
    _learnt_taggers: tuple[Any, ...] = ()  # those of the present training
    _left_out: tuple[int, ...] = ()  # columns of the present training data that say nothing

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        X_dev: Any = None,
        y_dev: Any = None,
        *,
        sample_weight: Any = None,
        listener: Listener | None = None,
    ) -> Self:
        """As for other estimators. With tags="own", taggers learn the tags of the data, and the tags that they give are read instead.
        With tags="joint", those of the last column are learnt with the output.
        """
        if self.tags not in (None, *WAYS):
            raise UnknownNameError.of("value of tags", str(self.tags), WAYS)
        self._learnt_taggers, self._left_out = (), ()
        if self.stream:  # which parsers refuse
            if self.tags not in (None, GIVEN):
                self._check_all_data("fit")
            return super().fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)
        X, tell = as_corpus(X), warn_of if listener is None else listener
        if not X.is_wordless or self.tags not in (None, GIVEN):
            data, sample_weight = weighed(self.with_output(X, y, unknown=True), sample_weight)
            X, y = self._informative(data, tell, goes_on=self.warm_start), None
            if X_dev is not None:
                X_dev, y_dev = self._as_learnt(self.with_output(X_dev, y_dev)), None
        if self._way(X, tell) != GIVEN:
            self._check_all_data("fit")
            self._check_joint()
            X, self._learnt_taggers = self._tagged_apart(X, tell)
            if X_dev is not None:
                X_dev = self._tagged_anew(X_dev)
        return super().fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)

    def _way(self, data: Corpus, tell: Listener) -> str:
        """How tags are read in this training."""
        if self.tags is not None:
            return self.tags
        if self.warm_start and self.taggers_:
            return OWN  # which is refused
        if self.warm_start:
            why = "warm_start=True goes on from a model that has seen the data"
        elif data.is_wordless or data.width - self.outputs < 2:
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
        read = self.inputs_ if goes_on and hasattr(self, "model_") else ()
        tags = range(1, data.width - self.outputs) if data.tokens else ()
        silent = [at for at in tags if says_nothing(data.columns[at]) and data.origins[at] not in read]
        if not silent or not checked(self, goes_on=goes_on).adapts:
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

    def partial_fit(self: Self, X: Any, y: Any = None, **options: Any) -> Self:
        """As for other estimators; tags are read as they are in the data. With tags="own" and tags="joint", it is refused."""
        if (self.tags or (OWN if self.taggers_ else GIVEN)) != GIVEN:
            self._check_all_data("partial_fit")
        self._learnt_taggers = ()
        X = as_corpus(X)
        if hasattr(self, "model_") and not X.is_wordless:
            X, y = self._informative(self.with_output(X, y), ignore, goes_on=True), None
        return super().partial_fit(X, y, **options)

    def development(self, dev: Any) -> Any:
        dev = super().development(dev)
        if not (self._learnt_taggers or self._left_out) or dev is None or isinstance(dev, (int, float)):
            return dev
        return self._tagged_anew(self._as_learnt(as_corpus(dev)))

    def tagger_counts(self) -> set[int]:
        number = len(self.inputs_) - 1
        return {0, number} if self.tags in (None, GIVEN) else {number}

    def _set_at_once(self, *results: Any, **others: Any) -> None:
        super()._set_at_once(*results, taggers_=self._learnt_taggers, **others)

    @property
    def needed(self) -> tuple[int, ...]:
        return self.inputs_[:1] if self._used_taggers() else self.inputs_

    @property
    def tags_read(self) -> str | None:
        return None if len(self.inputs_) < 2 else self.tags or (OWN if self.taggers_ else GIVEN)

    def own_columns(self, corpus: Corpus) -> Corpus:
        taggers = self._used_taggers()
        found = self.data_columns(corpus)
        if not taggers:
            return found
        tags = found.context or self._tags_by(taggers, found)
        return followed(replace(found, context=None), tags)

    def tagged(self, corpus: Corpus) -> Corpus:
        """The corpus with the tags of its own taggers, if it has such taggers: in place of those of the data, or after its columns. Joint
        tags are those that it chooses with the output.
        """
        taggers = self._used_taggers()
        if not taggers:
            return corpus
        if self.tags == JOINT:
            return self._tagged_jointly(corpus)[0]
        tags = self._tags_by(taggers, self.data_columns(corpus))
        return self._replacing(corpus, tags, tags)

    def labeller(self) -> Callable[[Corpus], tuple[Corpus, Sequence[Column]]]:
        return (lambda corpus: self._tagged_jointly(corpus, 1)) if self.tags == JOINT else super().labeller()

    def _tagged_jointly(self, corpus: Corpus, threads: int | None = None) -> tuple[Corpus, Sequence[Column]]:
        """The corpus with joint tags, and the columns to write, from one search."""
        words = self.data_columns(corpus)
        context = words.context or self._tags_by(self._used_taggers(), words)
        ids, chosen = self._chosen(followed(replace(words, context=None), context), threads)
        return self._replacing(corpus, (*context[:-1], chosen), context), self.output_columns(ids)

    def labels_of(self, inputs: Corpus) -> Ids:
        if self.tags != JOINT:
            return super().labels_of(inputs)
        ids, tags = self._chosen(inputs)
        found = ids.view(TaggedIds)
        found.tags = tags
        return found

    def nbest_and_tags(self, X: Any, k: int) -> tuple[list[list[tuple[Ids, float]]], Column | None]:
        if self.tags != JOINT:
            return super().nbest_and_tags(X, k)
        model, decoder, corpus, k = self._asked_for_best(X, k)
        if corpus.tokens == 0:
            return self.nbest_ids(corpus, k), Column.of([])
        lists = model.searched_lists(self.input_columns(corpus), k, decoder)
        outputs = model.outputs
        codes = np.concatenate([codes for sentence in lists for codes, _ in sentence])
        found = [[(outputs.label_ids(one, np.array([0, len(one)])), score) for one, score in each] for each in lists]
        return found, outputs.chosen_tags(codes)

    def before_lists(self, corpus: Corpus) -> Corpus:
        return self._with_context(corpus) if self.tags == JOINT else super().before_lists(corpus)

    def with_listed_tags(self, repeated: Corpus, tags: Column) -> Corpus:
        assert repeated.context is not None
        return self._replacing(repeated, (*repeated.context[:-1], tags), repeated.context)

    def _with_context(self, corpus: Corpus) -> Corpus:
        """The corpus with what its own taggers say of it, so that they are not asked twice."""
        return replace(corpus, context=corpus.context or self._tags_by(self._used_taggers(), self.data_columns(corpus)))

    def _replacing(self, corpus: Corpus, tags: Sequence[Column], context: tuple[Column, ...]) -> Corpus:
        """The corpus with these tags in place of its own, or after its columns. context: what the model reads of them."""
        wanted = self._tag_columns(corpus)
        if set(wanted) <= set(corpus.origins):
            for column, texts in zip(wanted, tags, strict=True):
                corpus = with_texts(corpus, corpus.origins.index(column), texts)
        else:
            corpus = followed(corpus, tags)
        return replace(corpus, context=context)

    def chosen_tags(self) -> tuple[str, ...]:
        return self._check_fitted().outputs.chosen if self.tags == JOINT else ()

    def slots_of(self, corpus: Corpus, names: LabelNames) -> Sequence[Slots]:
        """Tags of its own have the numbers of the columns that they stand for. Joint tags are not known before the output is."""
        added = min(corpus.origins) < 0  # the numbers of columns that were added
        if self.taggers_ and added and corpus.width == len(self.inputs_):
            first, tags = corpus.origins[0], self._tag_columns(corpus)
            corpus = corpus if first in tags else replace(corpus, origin=(first, *tags))
        if self.tags == JOINT:
            *before, last = corpus.columns
            corpus = replace(corpus, columns=(*before, Unread(last.alphabet, last.ids)), origin=corpus.origins)
        return super().slots_of(corpus, names)

    def _tag_columns(self, corpus: Corpus) -> tuple[int, ...]:
        return self.inputs_[1:] if corpus.format == self.format_ else tuple(range(1, len(self.inputs_)))

    def scored_columns(self, corpus: Corpus) -> Corpus:
        return replace(super().scored_columns(corpus), true_tags=self._true_tags(corpus, self.outputs))

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        """As for other estimators. With joint tags, the metric `tags` is their accuracy, if the data have them."""
        if self.tags != JOINT or is_empty(X):
            return super().evaluate(X, y, predicted=predicted)
        corpus = self._with_context(self.sentences(X))
        truth = self._true_tags(corpus, self.outputs if y is None else 0)
        if predicted is None:
            predicted = self.predict_ids(corpus)
        found = super().evaluate(corpus, y, predicted=predicted)
        if truth is None or not corpus.tokens:
            return found
        tags = predicted.tags if isinstance(predicted, TaggedIds) else None
        if tags is None:  # labels that were found elsewhere
            tags = self._chosen(self.input_columns(corpus))[1]
        right = np.mean(np.array(tags.texts(), object) == np.array(truth.texts(), object))
        return replace(found, more={**found.more, "tags": float(100 * right)})

    def _true_tags(self, corpus: Corpus, outputs: int) -> Column | None:
        """The joint tags of the data, if they have them. outputs: how many of the last columns are heads and relations."""
        if self.tags != JOINT or corpus.true_tags is not None:
            return corpus.true_tags
        last = self._tag_columns(corpus)[-1]
        whole = corpus.format == self.format_ or corpus.width == len(self.inputs_) + self.outputs
        at = corpus.origins.index(last) if whole and last in corpus.origins else corpus.width
        return corpus.columns[at] if at < corpus.width - outputs else None

    def _chosen(self, inputs: Corpus, threads: int | None = None) -> tuple[Ids, Column]:
        """Labels as numbers and joint tags, from the columns that the model reads."""
        return self._check_fitted().chosen(inputs, self.decoder(), threads or self.used_threads())

    def _used_taggers(self) -> tuple[Any, ...]:
        if self.tags == GIVEN:
            return ()
        if not hasattr(self, "model_"):
            return self.taggers_
        if not self.taggers_ and self.tags is not None:
            raise UnsupportedError(
                f"tags is {self.tags!r}, but the model was trained with the tags of the data and has no taggers.",
                remedy=f"Set tags='given', or train with tags={self.tags!r}.",
            )
        if self.tags == JOINT and not self.model_.outputs.chosen:
            raise UnsupportedError(
                "tags is 'joint', but the model was not trained to choose tags.",
                remedy="Set tags='own', or train with tags='joint'.",
            )
        return self.taggers_

    def _check_joint(self) -> None:
        """Refuses joint tags for structures that do not choose tags."""
        choice = checked(self).choice
        if self.tags != JOINT or CHOSEN_TAGS in choice.structure.offers:
            return
        instead = choice.offered.instead("structure", lambda piece: CHOSEN_TAGS in piece.offers)
        raise UnsupportedError(
            f"tags is 'joint', but the structure {choice.structure.name!r} scores trees for tags that are known: it chooses none.",
            remedy=f"Use tags='own'{instead or ', or structure=transitions and a recipe that searches, such as max-violation'}.",
        )

    def _check_all_data(self, method: str) -> None:
        """Refuses what gives a part of the data at a time, or goes on from a model that has seen them."""
        for asked, what in (
            (self.stream, "stream=True gives a part of the data at a time"),
            (self.warm_start, "warm_start=True goes on from a model that has seen the data"),
            (method == "partial_fit", "partial_fit goes on from a model that has seen the data"),
        ):
            if asked:
                has = f"tags is {self.tags!r}" if self.tags else "the model has taggers of its own"
                raise UnsupportedError(
                    f"{has}, but {what}, and tags must come from taggers that have not seen the sentence.",
                    remedy="Train anew on all data, or read tags as they are in the data: tags='given' (--tags given).",
                )

    def _tagged_apart(self, data: Corpus, tell: Listener) -> tuple[Corpus, tuple[Any, ...]]:
        """The data with the tags of taggers that have not seen the sentence, and taggers of all data."""
        columns = range(1, data.width - self.outputs)
        if not columns:
            raise DataError(
                f"tags is {self.tags!r}, but the data have no tags beside the words, from which taggers could learn.",
                remedy=f"Give words, tags, heads and relations, or leave out tags={self.tags!r}.",
                file=data.name,
            )
        folds = folds_of(data, int(FOLDS.default), tell, "taggers")
        tell(Note(f"Tags of its own: {len(columns) * (len(folds) + 1)} trainings of taggers."))
        made, taggers = data, []
        for column in columns:
            pairs = data.select([0, column])
            tagger = new_tagger(pairs, seed=self.seed, threads=self.threads).fit(pairs, listener=ignore)
            joint = self._is_joint(column, data)
            tags = tags_apart(tagger, pairs, folds, self.threads or cores(), tell, likely=joint)
            best = np.array([tags_in(text)[0] for text in tags.alphabet.texts()], object)[tags.ids]
            right = np.mean(best == np.array(pairs.columns[1].texts(), object)) if data.tokens else 1.0
            tell(Note(f"Tags of column {data.origins[column]}: {100 * right:.2f} % right on sentences not seen."))
            made = with_texts(made, column, tags)
            taggers.append(tagger)
        return self._with_true_tags(made, data), tuple(taggers)

    def _is_joint(self, column: int, data: Corpus) -> bool:
        return self.tags == JOINT and column == data.width - self.outputs - 1

    def _with_true_tags(self, made: Corpus, data: Corpus) -> Corpus:
        """made: the data with other tags."""
        return replace(made, true_tags=data.columns[-self.outputs - 1] if self.tags == JOINT else None)

    def _tagged_anew(self, data: Corpus) -> Corpus:
        """Data that the taggers of this training have not seen, with their tags."""
        made = data
        for column, tags in enumerate(self._tags_by(self._learnt_taggers, data), 1):
            made = with_texts(made, column, tags)
        return self._with_true_tags(made, data)

    def _tags_by(self, taggers: Sequence[Any], corpus: Corpus) -> tuple[Column, ...]:
        """The tags of the words, which are the first column; of joint tags, all likely ones."""
        words = replace(corpus.select([0]), known=None, context=None, origin=None, format="memory", true_tags=None)
        some = taggers[:-1] if self.tags == JOINT else taggers
        tags = [Column(interned(tagger.classes_)[0], tagger.predict_ids(words)) for tagger in some]
        return tuple(tags if some is taggers else [*tags, likely(taggers[-1], words)])
