"""The truth of tags that are chosen together with the output: from the data, or from labels that are given apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.choosing.options import Options
from riata.data.memory import inputs_of, is_empty
from riata.data.pairs import BETWEEN
from riata.data.types import Column, Corpus, Ids
from riata.errors import DataError, printed
from riata.estimators.looking import Looking
from riata.estimators.own_tags import JOINT, OwnTags, TaggedIds
from riata.learning.labels import LabelSet
from riata.learning.structure import label_ids
from riata.models.model import Model

if TYPE_CHECKING:
    from riata.scoring.search_errors import SearchErrors

OPEN = ""  # any tag is right
Told = tuple[Any, list[str] | None]  # pairs as `_with_gold` takes them, and tags of all tokens; None: all tags are open


class TrueTags(OwnTags, Looking):
    """With joint tags, the truth of traces, explanations and search errors has the tags of the data, if they have them. Labels that are
    given apart have tags as a third part, or leave them open.
    """

    def _true_labels(self, corpus: Corpus, y: Any, options: Options) -> list[str]:
        pairs, tags = self._told(corpus, y)
        labels = super()._true_labels(corpus, pairs, options)
        if tags is None:
            return labels
        return [label if tag == OPEN else label + BETWEEN + tag for label, tag in zip(labels, tags, strict=True)]

    @staticmethod
    def _check_tags(data: Corpus, model: Model) -> None:
        """Refuses true tags that the model does not have."""
        if data.true_tags is not None:
            label_ids(replace(data, columns=(data.true_tags,), origin=None), LabelSet(model.outputs.chosen, {}, None))

    def whole_output(self, corpus: Corpus, constraints: Any = None) -> Any:
        if self.tags != JOINT:
            return super().whole_output(corpus, constraints)
        chooser = self if constraints is None else self.switched(constraints)
        ids, tags = chooser._chosen(self.input_columns(corpus))
        return [(*arc, tag) for arc, tag in zip(self._as_outputs(ids), tags.texts(), strict=True)]

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        """As for other estimators. With joint tags, a wrong tag makes a sentence wrong, if the data have the tags, or y has them as the
        third part of (head, relation, tag).
        """
        if self.tags != JOINT or is_empty(X):
            return super().search_errors(X, y, predicted=predicted)
        from riata.scoring.search_errors import split_tagged_errors

        corpus = self._with_context(self.sentences(X))
        pairs, told = self._told(corpus, y)
        if told is None:
            return super().search_errors(corpus, pairs, predicted=predicted)
        model, data = self._check_fitted(), self._with_gold(corpus, pairs)
        outputs, inputs = model.outputs, inputs_of(data)
        trees, tags = self._label_ids(data.columns[-1]), Column.of(told)
        gold = outputs.with_tags(outputs.codes(trees, data.starts), tags)
        unknown = (trees < 0) | ((tags.numbered(outputs.chosen) < 0) & (np.array(told, object) != OPEN))
        found = outputs.with_tags_open(self._codes_with_tags(inputs, predicted), gold)
        truth = np.where(unknown, np.int32(-1), gold).astype(np.int32)
        return split_tagged_errors(model, inputs, found, truth, self.decoder())

    def _codes_with_tags(self, inputs: Corpus, predicted: Ids | None) -> Ids:
        """Codes of what was predicted, with tags; of labels that were found elsewhere, with the tags that are chosen now."""
        outputs = self._check_fitted().outputs
        tags = predicted.tags if isinstance(predicted, TaggedIds) else None
        if predicted is None or tags is None:
            ids, tags = self._chosen(inputs)
            predicted = ids if predicted is None else predicted
        return outputs.with_tags(outputs.codes(np.asarray(predicted), inputs.starts), tags)

    def _told(self, corpus: Corpus, y: Any) -> Told:
        if self.tags != JOINT:
            return y, None
        if y is None:
            column = self._true_tags(corpus, self.outputs)
            return None, None if column is None else column.texts()
        if not isinstance(y, (list, tuple)) or not all(isinstance(sentence, (list, tuple)) for sentence in y):
            return y, None
        tags = [_tag_of(arc, s) for s, sentence in enumerate(y) for arc in sentence]
        pairs = [[arc[:2] if _has_tag(arc) else arc for arc in sentence] for sentence in y]
        return pairs, tags if any(tags) else None


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
