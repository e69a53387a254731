"""The first stage of a parser that reads tags beside words: taggers that it has learnt itself, one for every input column after the
first. The stage is on the way only where the parser has such taggers.

This is the default where training data have tags, since text to predict seldom has such tags, and never any so right.

For training, every sentence is tagged by taggers that have learnt neither from it nor from its document, so that what is learnt from has
the errors that predictions will meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from riata import registry
from riata.choosing.passes import FOLDS
from riata.data.columns import with_texts
from riata.data.documents import Indices
from riata.data.types import Column, Corpus, Ids, interned
from riata.errors import DataError
from riata.estimators.labels import Part
from riata.estimators.trees import JOINT
from riata.estimators.two_passes import followed
from riata.features.likely_tags import tags_in
from riata.learning.events import Listener, Note, ignore
from riata.learning.jackknife import folds_of, jackknifed, joined_labels
from riata.models.container import TAGGER
from riata.parallel import cores
from riata.structures.chain.learning import NAME as DICTIONARY
from riata.structures.chain.structure import ALIKE

MANY = 250  # tags, above which words get only tags of words like them
RICH = 10_000  # tokens, above which n-grams seen once are left out
EPOCHS = 10


class TagStage(Part):
    """Gives words the tags that the parser reads."""

    def tags(self, corpus: Corpus, taggers: Sequence[Any]) -> tuple[Column, ...]:
        """The tags of the words, which are the first column; of joint tags, all likely ones."""
        words = replace(corpus.select([0]), known=None, context=None, origin=None, format="memory", true_tags=None)
        joint = self.estimator.tags == JOINT
        tags = [Column(interned(t.classes_)[0], t.predict_ids(words)) for t in (taggers[:-1] if joint else taggers)]
        if joint:
            from riata.estimators.likely_tags import likely

            tags.append(likely(taggers[-1], words))
        return tuple(tags)

    def inputs(self, found: Corpus, taggers: Sequence[Any]) -> Corpus:
        """The columns that the model reads. found: those of the data."""
        return followed(replace(found, context=None), found.context or self.tags(found, taggers))

    def tagged(self, corpus: Corpus, taggers: Sequence[Any]) -> Corpus:
        """The corpus with tags in place of those of the data, or after its columns."""
        tags = self.tags(self.columns.data_columns(corpus), taggers)
        return self.replacing(corpus, tags, tags)

    def replacing(self, corpus: Corpus, tags: Sequence[Column], context: tuple[Column, ...]) -> Corpus:
        """The corpus with these tags in place of its own, or after its columns. context: what the model reads of them."""
        wanted = self.tag_columns(corpus)
        if set(wanted) <= set(corpus.origins):
            for column, texts in zip(wanted, tags, strict=True):
                corpus = with_texts(corpus, corpus.origins.index(column), texts)
        else:
            corpus = followed(corpus, tags)
        return replace(corpus, context=context)

    def tag_columns(self, corpus: Corpus) -> tuple[int, ...]:
        """The numbers of the columns that the tags stand for."""
        inputs: tuple[int, ...] = self.estimator.inputs_
        return inputs[1:] if corpus.format == self.estimator.format_ else tuple(range(1, len(inputs)))

    def learn(self, data: Corpus, tell: Listener) -> tuple[Corpus, tuple[Any, ...]]:
        """The data with the tags of taggers that have not seen the sentence, and taggers of all data."""
        estimator = self.estimator
        columns = range(1, data.width - estimator.outputs)
        if not columns:
            raise DataError(
                f"tags is {estimator.tags!r}, but the data have no tags beside the words, from which taggers could learn.",
                remedy=f"Give words, tags, heads and relations, or leave out tags={estimator.tags!r}.",
                file=data.name,
            )
        folds = folds_of(data, int(FOLDS.default), tell, "taggers")
        tell(Note(f"Tags of its own: {len(columns) * (len(folds) + 1)} trainings of taggers."))
        made, taggers, threads = data, [], estimator.threads or cores()
        for column in columns:
            pairs = data.select([0, column])
            tagger = new_tagger(pairs, seed=estimator.seed, threads=estimator.threads).fit(pairs, listener=ignore)
            joint = estimator.tags == JOINT and column == columns[-1]
            tags = tags_apart(tagger, pairs, folds, threads, tell, likely=joint)
            best = np.array([tags_in(text)[0] for text in tags.alphabet.texts()], object)[tags.ids]
            right = np.mean(best == np.array(pairs.columns[1].texts(), object)) if data.tokens else 1.0
            tell(Note(f"Tags of column {data.origins[column]}: {100 * right:.2f} % right on sentences not seen."))
            made = with_texts(made, column, tags)
            taggers.append(tagger)
        return self._with_true_tags(made, data), tuple(taggers)

    def anew(self, data: Corpus, taggers: Sequence[Any]) -> Corpus:
        """Data that the taggers have not seen, with their tags."""
        made = data
        for column, tags in enumerate(self.tags(data, taggers), 1):
            made = with_texts(made, column, tags)
        return self._with_true_tags(made, data)

    def _with_true_tags(self, made: Corpus, data: Corpus) -> Corpus:
        """made: the data with other tags."""
        joint = self.estimator.tags == JOINT
        return replace(made, true_tags=data.columns[-self.estimator.outputs - 1] if joint else None)


def new_tagger(data: Corpus, *, seed: int, threads: int | None) -> Any:
    """A tagger that learns in a short time, also where there are hundreds of tags. data: words and tags."""
    return registry.get("task", TAGGER).estimator(
        epochs=EPOCHS,
        cutoff=2 if data.tokens > RICH else 1,
        settings={DICTIONARY: ALIKE} if len(data.columns[1].used()) > MANY else None,
        seed=seed,
        threads=threads,
        check_input=False,
        calibrated=False,
    )


def tags_apart(
    tagger: Any, data: Corpus, folds: Sequence[Indices], threads: int, tell: Listener, *, likely: bool
) -> Column:
    """The tags of words, or all likely ones, each by a tagger that has not seen the sentence. tagger: of all data, words and tags."""
    if likely:
        from riata.estimators.likely_tags import LikelyApart

        return LikelyApart(data, tagger).column(folds, threads, tell)

    def labels(learnt: Indices, asked: Indices, listener: Listener) -> Ids:
        one = tagger.untrained(threads=1).fit(data[learnt], listener=listener)
        table = np.array([tagger.classes_.index(text) for text in one.classes_], np.int32)
        return np.asarray(table[one.predict_ids(data[asked].select([0]))])

    parts = jackknifed(data, folds, labels, threads, tell, "Taggers")
    return Column(interned(tagger.classes_)[0], joined_labels(folds, [found for _, found in parts], data))
