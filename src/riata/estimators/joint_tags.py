"""Tags that are chosen together with the tree, among those that a tagger finds likely: joint tags (Bohnet & Nivre 2012, Sec. 3;
Hatori, Matsuzaki, Miyao & Tsujii 2011).

**Differs:** what is likely is said by probabilities of a tagger that has not seen the sentence, and states may leave the truth while
learning, since the regret of tags adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.data.pairs import BETWEEN
from riata.data.types import Column, Corpus, Ids, inputs_of
from riata.errors import DataError, UnsupportedError, printed
from riata.estimators.labels import Part
from riata.inference.structure import CHOSEN_TAGS

if TYPE_CHECKING:
    from riata.inference.structure import Decoder
    from riata.models.model import Model
    from riata.scoring.evaluation import Evaluation
    from riata.scoring.search_errors import SearchErrors

OPEN = ""  # any tag is right
Told = tuple[Any, list[str] | None]  # pairs as `with_gold` takes them, and tags of all tokens; None: all tags are open


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


class JointTags(Part):
    """What a parser with tags='joint' does otherwise."""

    def check_offered(self) -> None:
        """Refuses joint tags for structures that do not choose tags."""
        from riata.choosing.options import checked

        choice = checked(self.estimator).choice
        if CHOSEN_TAGS in choice.structure.offers:
            return
        instead = choice.offered.instead("structure", lambda piece: CHOSEN_TAGS in piece.offers)
        raise UnsupportedError(
            f"tags is 'joint', but the structure {choice.structure.name!r} scores trees for tags that are known: it chooses none.",
            remedy=f"Use tags='own'{instead or ', or structure=transitions and a recipe that searches, such as max-violation'}.",
        )

    def chosen(self, inputs: Corpus, threads: int | None = None) -> tuple[Ids, Column]:
        """Labels as numbers and joint tags, from the columns that the model reads."""
        predicting = self.estimator.predicting
        return self.model.chosen(inputs, predicting.decoder(), threads or predicting.used_threads())

    def with_context(self, corpus: Corpus) -> Corpus:
        """The corpus with what its own taggers say of it, so that they are not asked twice."""
        if corpus.context:
            return corpus
        columns = self.estimator.columns
        return replace(corpus, context=columns.stage.tags(columns.data_columns(corpus), columns.taggers))

    def tagged(self, corpus: Corpus, threads: int | None = None) -> tuple[Corpus, Sequence[Column]]:
        """The corpus with joint tags, and the columns to write, from one search."""
        stage, taggers = self.estimator.columns.stage, self.estimator.columns.taggers
        words = self.columns.data_columns(corpus)
        context = words.context or stage.tags(words, taggers)
        ids, chosen = self.chosen(stage.inputs(replace(words, context=context), taggers), threads)
        return stage.replacing(corpus, (*context[:-1], chosen), context), self.labels.output_columns(ids)

    def labels_of(self, inputs: Corpus) -> Ids:
        ids, tags = self.chosen(inputs)
        found = ids.view(TaggedIds)
        found.tags = tags
        return found

    def nbest_and_tags(
        self, model: Model, decoder: Decoder, corpus: Corpus, k: int
    ) -> tuple[list[list[tuple[Ids, float]]], Column]:
        if corpus.tokens == 0:
            return self.estimator.predicting.nbest_ids(corpus, k), Column.of([])
        lists = model.searched_lists(self.columns.input_columns(corpus), k, decoder)
        outputs = model.outputs
        codes = np.concatenate([codes for sentence in lists for codes, _ in sentence])
        found = [[(outputs.label_ids(one, np.array([0, len(one)])), score) for one, score in each] for each in lists]
        return found, outputs.chosen_tags(codes)

    def unread(self, corpus: Corpus) -> Corpus:
        """The corpus as constraints may read it."""
        *before, last = corpus.columns
        return replace(corpus, columns=(*before, Unread(last.alphabet, last.ids)), origin=corpus.origins)

    def true_tags(self, corpus: Corpus, outputs: int) -> Column | None:
        """The joint tags of the data, if they have them. outputs: how many of the last columns are heads and relations."""
        if corpus.true_tags is not None:
            return corpus.true_tags
        last = self.estimator.columns.stage.tag_columns(corpus)[-1]
        whole = corpus.format == self.estimator.format_ or corpus.width == len(self.estimator.inputs_) + outputs
        at = corpus.origins.index(last) if whole and last in corpus.origins else corpus.width
        return corpus.columns[at] if at < corpus.width - outputs else None

    def with_accuracy(self, found: Evaluation, corpus: Corpus, predicted: Ids, *, outputs: int) -> Evaluation:
        """With the accuracy of tags, if the data have them. outputs: as for true_tags."""
        truth = self.true_tags(corpus, outputs)
        if truth is None or not corpus.tokens:
            return found
        tags = predicted.tags if isinstance(predicted, TaggedIds) else None
        if tags is None:  # labels that were found elsewhere
            tags = self.chosen(self.columns.input_columns(corpus))[1]
        right = np.mean(np.array(tags.texts(), object) == np.array(truth.texts(), object))
        return replace(found, more={**found.more, "tags": float(100 * right)})

    def search_errors(self, corpus: Corpus, pairs: Any, told: list[str], predicted: Ids | None) -> SearchErrors:
        """A wrong tag makes a sentence wrong. told: the true tags."""
        from riata.scoring.search_errors import split_tagged_errors

        model, data = self.model, self.columns.with_gold(corpus, pairs)
        outputs, inputs = model.outputs, inputs_of(data)
        trees, tags = self.labels.label_ids(data.columns[-1]), Column.of(told)
        gold = outputs.with_tags(outputs.codes(trees, data.starts), tags)
        unknown = (trees < 0) | ((tags.numbered(outputs.chosen) < 0) & (np.array(told, object) != OPEN))
        found = outputs.with_tags_open(self._codes(inputs, predicted), gold)
        truth = np.where(unknown, np.int32(-1), gold).astype(np.int32)
        return split_tagged_errors(model, inputs, found, truth, self.estimator.predicting.decoder())

    def _codes(self, inputs: Corpus, predicted: Ids | None) -> Ids:
        """Codes of what was predicted, with tags; of labels that were found elsewhere, with the tags that are chosen now."""
        outputs = self.model.outputs
        tags = predicted.tags if isinstance(predicted, TaggedIds) else None
        if predicted is None or tags is None:
            ids, tags = self.chosen(inputs)
            predicted = ids if predicted is None else predicted
        return outputs.with_tags(outputs.codes(np.asarray(predicted), inputs.starts), tags)

    def told(self, corpus: Corpus, y: Any) -> Told:
        """Pairs and tags that are given apart from the corpus, or those that it has."""
        if y is None:
            column = self.true_tags(corpus, self.estimator.outputs)
            return None, None if column is None else column.texts()
        if not isinstance(y, (list, tuple)) or not all(isinstance(sentence, (list, tuple)) for sentence in y):
            return y, None
        tags = [_tag_of(arc, s) for s, sentence in enumerate(y) for arc in sentence]
        pairs = [[arc[:2] if _has_tag(arc) else arc for arc in sentence] for sentence in y]
        return pairs, tags if any(tags) else None

    @staticmethod
    def with_tags(labels: list[str], tags: list[str] | None) -> list[str]:
        """True labels of trees with true tags."""
        if tags is None:
            return labels
        return [label if tag == OPEN else label + BETWEEN + tag for label, tag in zip(labels, tags, strict=True)]

    def whole_output(self, corpus: Corpus, constraints: Any) -> list[Any]:
        """Of one sentence, (head, relation, tag) for every token. constraints: as for predict."""
        from riata.estimators.constrained import switched

        estimator = self.estimator if constraints is None else switched(self.estimator, constraints)
        ids, tags = JointTags(estimator).chosen(self.columns.input_columns(corpus))
        return [(*arc, tag) for arc, tag in zip(self.labels.as_outputs(ids), tags.texts(), strict=True)]


def _has_tag(arc: Any) -> bool:
    return isinstance(arc, (list, tuple)) and len(arc) == 3


def _tag_of(arc: Any, s: int) -> str:
    tag = arc[2] if _has_tag(arc) else None
    if tag is not None and not isinstance(tag, str):
        raise DataError(
            f"sentence {s}: the tag of a token is {printed(tag)}; expected a text.",
            remedy="Give (head, relation, tag), such as (2, 'nsubj', 'NOUN'), or (head, relation) where any tag is right.",
        )
    return tag or OPEN
