"""Dependency parsing: a head and a relation for every token, which form a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from riata.data.conllu_fields import PARSING, Roles
from riata.data.pairs import split_column
from riata.data.trees import check_trees, tree_codes, tree_columns, with_trees
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import UnsupportedError
from riata.estimators.pairs import Pairs
from riata.estimators.parameters import documented
from riata.estimators.true_tags import TrueTags
from riata.learning.arcs import RelationSet
from riata.learning.structure import label_ids
from riata.models.model import Model
from riata.scoring.evaluation import Evaluation, evaluate_trees
from riata.tasks.base import SequenceEstimator, Task


class DependencyParser(TrueTags, Pairs, SequenceEstimator):
    __doc__ = documented(
        """Finds the dependency tree of every sentence. Scored by LAS: tokens with the right head and relation.

        The last two columns of the data are the outputs: the head and the relation to it. A head is the number of a token of the
        sentence, from 1 on, or 0 for the root. y is a list of (head, relation) per sentence, and so is what predict returns. Of
        CoNLL-U, the inputs are form, upos, xpos and feats, unless others are named.
        tags: "own" learns a tagger for each column beside the words, and reads the tags that it predicts, so that new text needs only
        words. "given" reads these columns as they are. "joint" chooses the tags of the last of them while it parses, with
        structure="transitions". None: "own", if the training data have such columns and are there as a whole.
        """,
        """
        >>> train = [[("The", "DT", "2", "det"), ("bus", "NN", "3", "nsubj"), ("stopped", "VBD", "0", "root")]]
        >>> parser = riata.DependencyParser(epochs=3).fit(train)
        >>> parser.predict([[("A", "DT"), ("bus", "NN"), ("stopped", "VBD")]])
        [[(2, 'det'), (3, 'nsubj'), (0, 'root')]]
        """,
    )

    task_name = "parse"
    chunks = False
    trees = True
    outputs_called = ("heads", "relations")
    fields: ClassVar[Roles] = PARSING
    search_structure = "transitions"
    exact_structure = "projective"
    default_template = "parse"
    default_recipe = "laso-perceptron"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "fast": {"recipe": "laso-perceptron", "queue": "greedy", "template": "fast", "epochs": 5},
        "best": {"recipe": "laso-perceptron", "beam": 8, "seeds": 3},
    }

    def __init__(self, recipe: str | None = None, *, tags: str | None = None, **parameters: Any) -> None:
        super().__init__(recipe, **parameters)
        self.tags = tags

    @staticmethod
    def with_pairs(corpus: Corpus, y: Any) -> Corpus:
        return with_trees(corpus, y)

    @staticmethod
    def check_gold(corpus: Corpus) -> None:
        check_trees(corpus)

    def _label_ids(self, column: Column) -> Ids:
        return tree_codes(column, self._check_fitted().labels)

    def _true_ids(self, data: Corpus, model: Model) -> Ids:
        label_ids(data, RelationSet(model.labels, {}, None))  # refuses unknown relations
        self._check_tags(data, model)
        return tree_codes(data.columns[-1], model.labels)

    def _as_outputs(self, ids: Ids) -> list[Any]:
        heads, relations = np.divmod(ids, len(self.classes_))
        return [
            (head, self.classes_[relation]) for head, relation in zip(heads.tolist(), relations.tolist(), strict=True)
        ]

    def _as_given_out(self, outputs: list[list[str | None]]) -> list[Any]:
        heads, relations = outputs
        return [
            (None if head is None else int(head), relation) for head, relation in zip(heads, relations, strict=True)
        ]

    def predict_proba(self, X: Any, *, given: Any = None) -> list[Any]:
        """Refused, since any other token may be the head of a token: predict_confidence gives probabilities of what is predicted."""
        raise UnsupportedError(
            "A token may have any other token as its head, so there is no table of probabilities of all its labels.",
            remedy="predict_confidence gives those of what is predicted; predict_nbest(..., probabilities=True) those of whole trees.",
        )

    def output_columns(self, ids: Ids) -> Sequence[Column]:
        return tree_columns(ids, self.classes_)

    @property
    def chunk_outputs(self) -> tuple[bool, ...]:
        return False, False

    @classmethod
    def compared(cls, gold: Sequence[Column], found: Sequence[Column], starts: Starts) -> Evaluation:
        return evaluate_trees((gold[0], gold[1]), (found[0], found[1]), starts)

    def _evaluated(self, gold: Column, predicted: Ids, starts: Starts) -> Evaluation:
        return evaluate_trees(split_column(gold), tree_columns(predicted, self.classes_), starts)


TASK = Task(
    "parse",
    "a head and a relation for every token, which form a tree; scored by UAS and LAS",
    DependencyParser,
    (("head",), ("deprel",)),
)
