"""Tags and chunk labels together: two labels for every word, decided in one search (Daumé & Marcu 2005, Sec. 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from riata.data.encodings.base import Encoding, Tags
from riata.data.pairs import PairRecoder, joined_text, paired, parts_of, split_column, unpaired, with_pairs
from riata.data.types import Column, Corpus, Ids, Starts, interned
from riata.errors import SettingError
from riata.estimators.labels import Has
from riata.estimators.pairs import OUTPUTS, PairColumns, PairFitting, PairLabels
from riata.estimators.sequence import SequenceEstimator
from riata.learning.events import Listener
from riata.models.model import Model
from riata.params import documented
from riata.scoring.evaluation import Evaluation
from riata.scoring.pairs import evaluate_columns, evaluate_pairs
from riata.structures.joint.learning import totals
from riata.tasks.base import Task


class JointLabels(PairLabels):
    """A tag and a chunk label per token."""

    names = ("tags", "chunk labels")

    @staticmethod
    def with_pairs(corpus: Corpus, y: Any) -> Corpus:
        return with_pairs(corpus, y)

    @property
    def chunk_outputs(self) -> tuple[bool, ...]:
        return False, True

    def set_model(self, model: Model, tags: Tags | None) -> None:
        super().set_model(model, tags)
        self.estimator.classes_ = list(map(parts_of, self.estimator.classes_))

    def recoding(self, labels: Sequence[str], source: Encoding, target: Encoding) -> PairRecoder:
        return PairRecoder.of(labels, source, target)

    def class_texts(self) -> list[str]:
        return [joined_text(*pair) for pair in self.estimator.classes_]

    def class_names(self, classes: Any) -> tuple[str, ...]:
        if classes is None:
            return ()
        pairs = [tuple(pair) if isinstance(pair, (tuple, list)) else pair for pair in classes]
        if not all(isinstance(p, tuple) and len(p) == OUTPUTS and all(isinstance(x, str) for x in p) for p in pairs):
            raise SettingError(f"classes is {classes!r:.60}; expected a list of pairs, each a tag and a chunk label.")
        return tuple(joined_text(*pair) for pair in pairs)

    def votes(self) -> tuple[list[str], list[str] | None]:
        classes = self.estimator.classes_
        return ["/".join(pair) for pair in classes], [chunk for _, chunk in classes]

    def learnable(self, data: Corpus, tell: Listener, *, strict: bool = False) -> Corpus:
        return paired(super().learnable(unpaired(data), tell, strict=strict))

    def output_columns(self, ids: Ids) -> Sequence[Column]:
        return split_column(Column(interned(self.class_texts())[0], ids))

    def evaluated(self, gold: Column, predicted: Ids, starts: Starts) -> Evaluation:
        return evaluate_pairs(gold, predicted, self.class_texts(), starts)

    @staticmethod
    def compared(gold: Sequence[Column], found: Sequence[Column], starts: Starts, *, chunks: bool) -> Evaluation:
        return evaluate_columns((gold[0], gold[1]), (found[0], found[1]), starts)


class JointFitting(PairFitting):
    """Counts tags and chunk labels apart."""

    def keep(self, made: Any, *learnt: Any) -> None:
        super().keep(made, *learnt)
        tags, chunks = totals(made.facts_["label_counts"])
        made.facts_["label_counts"] = {**tags, **chunks}


class JointTagger(SequenceEstimator):
    __doc__ = documented(
        """Gives every word a tag and a chunk label, by searching for both at once. Scored by span F1 of the chunks.

        The last two columns of the data are the outputs: the tag, then the chunk label. y is a list of (tag, chunk) pairs per
        sentence, and so is what predict returns. Needs a recipe that searches.
        """,
        """
        >>> train = riata.load("embedded", "train", ("word", "tag", "chunk"))
        >>> tagger = riata.JointTagger(epochs=3).fit(train)
        >>> tagger.predict([["The", "bus", "stopped"]])
        [[('DT', 'B-NP'), ('NN', 'I-NP'), ('VBD', 'B-VP')]]
        """,
    )

    labels = Has(JointLabels)
    columns = Has(PairColumns)
    fitting = Has(JointFitting)
    task_name = "joint"
    outputs = OUTPUTS
    chunks = True
    own_structure = "joint"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "fast": {"recipe": "max-violation", "epochs": 3},
        "best": {"recipe": "max-violation", "epochs": 6, "learn_as": "bioes", "seeds": 5},
    }
    default_template = "joint2005"


TASK = Task(
    "joint",
    "a tag and a chunk label per word, decided together; scored by span F1 and accuracy",
    JointTagger,
    (("tag",), ("chunk",)),
)
