"""Tags of its own: an estimator that reads tags beside words learns taggers for them, and reads what these give.

For training, every sentence is tagged by taggers that have learnt neither from it nor from its document, so that what is learnt from has
the errors that predictions will meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from riata import registry
from riata.choosing.passes import FOLDS
from riata.data.columns import with_texts
from riata.data.memory import as_corpus
from riata.data.texts import interned
from riata.data.types import Column, Corpus, Ids
from riata.errors import DataError, UnknownNameError, UnsupportedError
from riata.estimators.fitting import Fitting
from riata.estimators.in_context import followed
from riata.estimators.notes import warn_of
from riata.learning.events import Listener, Note, ignore
from riata.learning.jackknife import Indices, folds_of, jackknifed, joined_labels
from riata.models.header import TAGGER
from riata.parallel import cores

GIVEN, OWN = "given", "own"
WAYS = (GIVEN, OWN)

Self = TypeVar("Self", bound="OwnTags")  # typing.Self needs Python 3.11


class OwnTags(Fitting):
    """Reads words and tags: those of the data, or those of its own taggers, one for every input column after the first."""

    tags: str
    _learnt_taggers: tuple[Any, ...] = ()  # those of the present training

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
        """As for other estimators. With tags="own", taggers learn the tags of the data, and the tags that they give are read instead."""
        if self.tags not in WAYS:
            raise UnknownNameError.of("value of tags", str(self.tags), WAYS)
        self._learnt_taggers = ()
        if self.tags == OWN:
            self._check_all_data("fit")
            tell = warn_of if listener is None else listener
            X, self._learnt_taggers = self._tagged_apart(self.with_output(X, y), tell)
            y = None
            if X_dev is not None:
                X_dev, y_dev = self._tagged_anew(self.with_output(X_dev, y_dev)), None
        return super().fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)

    def partial_fit(self: Self, X: Any, y: Any = None, **options: Any) -> Self:
        """As for other estimators; with tags="own", it is refused."""
        if self.tags == OWN:
            self._check_all_data("partial_fit")
        return super().partial_fit(X, y, **options)

    def development(self, dev: Any) -> Any:
        dev = super().development(dev)
        if not self._learnt_taggers or dev is None or isinstance(dev, (int, float)):
            return dev
        return self._tagged_anew(as_corpus(dev))

    def tagger_counts(self) -> set[int]:
        number = len(self.inputs_) - 1
        return {number} if self.tags == OWN else {0, number}

    def _set_at_once(self, *results: Any, **others: Any) -> None:
        super()._set_at_once(*results, taggers_=self._learnt_taggers, **others)

    @property
    def needed(self) -> tuple[int, ...]:
        return self.inputs_[:1] if self._used_taggers() else self.inputs_

    def own_columns(self, corpus: Corpus) -> Corpus:
        taggers = self._used_taggers()
        found = self.data_columns(corpus)
        if not taggers:
            return found
        tags = found.context or _tags_by(taggers, found)
        return followed(replace(found, context=None), tags)

    def tagged(self, corpus: Corpus) -> Corpus:
        """The corpus with the tags of its own taggers, if it has such taggers: in place of those of the data, or after its columns."""
        taggers = self._used_taggers()
        if not taggers:
            return corpus
        tags = _tags_by(taggers, self.data_columns(corpus))
        wanted = self.inputs_[1:] if corpus.format == self.format_ else tuple(range(1, len(self.inputs_)))
        if set(wanted) <= set(corpus.origins):
            for column, texts in zip(wanted, tags, strict=True):
                corpus = with_texts(corpus, corpus.origins.index(column), texts)
        else:
            corpus = followed(corpus, tags)
        return replace(corpus, context=tags)

    def _used_taggers(self) -> tuple[Any, ...]:
        if self.tags == OWN and not self.taggers_ and hasattr(self, "model_"):
            raise UnsupportedError(
                "tags is 'own', but the model was trained with the tags of the data and has no taggers.",
                remedy="Set tags='given', or train with tags='own'.",
            )
        return self.taggers_ if self.tags == OWN else ()

    def _check_all_data(self, method: str) -> None:
        """Refuses what gives a part of the data at a time, or goes on from a model that has seen them."""
        for asked, what in (
            (self.stream, "stream=True gives a part of the data at a time"),
            (self.warm_start, "warm_start=True goes on from a model that has seen the data"),
            (method == "partial_fit", "partial_fit goes on from a model that has seen the data"),
        ):
            if asked:
                raise UnsupportedError(
                    f"tags is 'own', but {what}, and tags must come from taggers that have not seen the sentence.",
                    remedy="Tag the data first, and leave out tags='own'.",
                )

    def _tagged_apart(self, data: Corpus, tell: Listener) -> tuple[Corpus, tuple[Any, ...]]:
        """The data with the tags of taggers that have not seen the sentence, and taggers of all data."""
        columns = range(1, data.width - self.outputs)
        if not columns:
            raise DataError(
                "tags is 'own', but the data have no tags beside the words, from which taggers could learn.",
                remedy="Give words, tags, heads and relations, or leave out tags='own'.",
                file=data.name,
            )
        folds = folds_of(data, int(FOLDS.default), tell, "taggers")
        tell(Note(f"Tags of its own: {len(columns) * (len(folds) + 1)} trainings of taggers."))
        made, taggers = data, []
        for column in columns:
            pairs = data.select([0, column])
            tags, tagger = self._tags_apart(pairs, folds, tell)
            right = np.mean(tags.texts() == np.array(pairs.columns[1].texts(), object)) if data.tokens else 1.0
            tell(Note(f"Tags of column {data.origins[column]}: {100 * right:.2f} % right on sentences not seen."))
            made = with_texts(made, column, tags)
            taggers.append(tagger)
        return made, tuple(taggers)

    def _tags_apart(self, data: Corpus, folds: Sequence[Indices], tell: Listener) -> tuple[Column, Any]:
        """The tags of words, and a tagger of all of them. data: words and tags."""
        tagger = registry.get("task", TAGGER).estimator(seed=self.seed, threads=self.threads)
        tagger.fit(data, listener=ignore)

        def labels(learnt: Indices, asked: Indices, listener: Listener) -> Ids:
            one = tagger.untrained(threads=1).fit(data[learnt], listener=listener)
            table = np.array([tagger.classes_.index(text) for text in one.classes_], np.int32)
            return np.asarray(table[one.predict_ids(data[asked].select([0]))])

        parts = jackknifed(data, folds, labels, self.threads or cores(), tell, "Taggers")
        ids = joined_labels(folds, [found for _, found in parts], data)
        return Column(interned(tagger.classes_)[0], ids), tagger

    def _tagged_anew(self, data: Corpus) -> Corpus:
        """Data that the taggers of this training have not seen, with their tags."""
        for column, tags in enumerate(_tags_by(self._learnt_taggers, data), 1):
            data = with_texts(data, column, tags)
        return data


def _tags_by(taggers: Sequence[Any], corpus: Corpus) -> tuple[Column, ...]:
    """The tags of the words, which are the first column."""
    words = replace(corpus.select([0]), known=None, context=None, origin=None, format="memory")
    return tuple(Column(interned(tagger.classes_)[0], tagger.predict_ids(words)) for tagger in taggers)
