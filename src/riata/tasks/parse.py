"""Dependency parsing: a head and a relation for every token, which form a tree."""

from __future__ import annotations

from typing import Any, ClassVar

from riata.data.formats.base import PARSING, Roles
from riata.estimators.labels import Has
from riata.estimators.pairs import OUTPUTS
from riata.estimators.sequence import SequenceEstimator
from riata.estimators.trees import (
    TreeColumns,
    TreeConfidence,
    TreeEvaluating,
    TreeExplaining,
    TreeFitting,
    TreeLabels,
    TreePredicting,
)
from riata.params import documented
from riata.tasks.base import Task


class DependencyParser(SequenceEstimator):
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

    labels = Has(TreeLabels)
    columns = Has(TreeColumns)
    fitting = Has(TreeFitting)
    predicting = Has(TreePredicting)
    confidence = Has(TreeConfidence)
    evaluating = Has(TreeEvaluating)
    explaining = Has(TreeExplaining)

    task_name = "parse"
    chunks = False
    trees = True
    outputs = OUTPUTS
    without_column = ", or train with tags='own' (--tags own), which needs words alone"
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


TASK = Task(
    "parse",
    "a head and a relation for every token, which form a tree; scored by UAS and LAS",
    DependencyParser,
    (("head",), ("deprel",)),
)
