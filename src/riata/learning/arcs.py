"""Learning dependency trees that are scored arc by arc."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, most_relations
from riata.data.encodings.base import Tags
from riata.data.pairs import split_column
from riata.data.trees import check_trees, heads_and_relations, tree_codes, tree_columns
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import DataError
from riata.features.arcs import ArcFeatures
from riata.features.compile import Features
from riata.learning.batch.trainer import BatchProblem
from riata.learning.events import Listener
from riata.learning.labels import LabelSet, counts_of, label_set_of
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.arc_outputs import ArcOutputs
from riata.models.model import Model
from riata.scoring.evaluation import evaluate_trees


@dataclass(frozen=True, eq=False)
class RelationSet(LabelSet):
    """Relations, most frequent first. The column is of pairs, a head and a relation."""

    def ids(self, column: Column) -> Ids:
        return heads_and_relations(column)[1].numbered(self.labels)


class LearntArcs(LearntStructure):
    outputs_of: type[ArcOutputs]
    potentials_of: tuple[Any, Any]  # native potentials, in single and in double precision

    def new_outputs(self) -> ArcOutputs:
        return self.outputs_of(self.labels.labels)

    @staticmethod
    def counted(column: Column) -> dict[str, int]:
        return counts_of(heads_and_relations(column)[1])

    @staticmethod
    def check_outputs(data: Corpus) -> None:
        check_trees(data)

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        counts = {**dict.fromkeys(extra, 0), **LearntArcs.counted(data.columns[-1])}
        if len(counts) > most_relations:
            raise DataError(
                f"the data have {len(counts):,} different relations; expected at most {most_relations:,}.",
                remedy="Are the right columns the outputs? Choose with --outputs, or corpus.select in Python.",
                file=data.name,
            )
        found = label_set_of(counts, None, data.name)
        return RelationSet(found.labels, found.counts, None)

    def new_features(self, width: int) -> ArcFeatures:
        options = self.options
        return ArcFeatures(options.templates(width), options.functions, options.word_lists())

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        self._refuse_long(data)
        codes = self.learnable(self.codes(data), data.starts, tell)
        return TrainingSet(instances, weights, self.class_weights(), codes)

    def codes(self, data: Corpus) -> Ids:
        label_ids(data, self.labels)  # refuses unknown relations
        return tree_codes(data.columns[-1], self.labels.labels)

    def _refuse_long(self, data: Corpus) -> None:
        weights: Any = Model.blank(self.new_features(data.width - 1), self.outputs).weights
        longest = getattr(weights, "longest", None)  # of structures that score all arcs of a sentence
        lengths = np.diff(data.starts)
        if longest is not None and len(lengths) and int(lengths.max()) > longest:
            s = int(np.argmax(lengths > longest))
            raise DataError(
                f"a sentence has {lengths[s]:,} tokens; the structure {self.outputs.structure!r} with these templates learns from up to "
                f"{longest:,}.",
                remedy="Split the sentence, or use structure='transitions', which needs as many steps as there are tokens.",
                file=data.name,
                line=data.line_of(int(data.starts[s])),
            )

    def learnable(self, codes: Ids, starts: Starts, tell: Listener) -> Ids:
        """The trees that are learnt instead of the true ones, where the structure cannot give these."""
        return codes

    def problem(self, features: Features, *, per: str) -> ArcProblem:
        return ArcProblem(self, features)

    def score(self, dev: Corpus, predicted: Any, labels: tuple[str, ...]) -> float:
        return evaluate_trees(split_column(dev.columns[-1]), tree_columns(predicted, labels), dev.starts).score


class ArcProblem(BatchProblem):
    """Trees of sentences, normalised over all trees."""

    def __init__(self, structure: LearntArcs, features: Features) -> None:
        super().__init__(features, structure.outputs, structure.options.settings, structure.start)
        self._kinds = structure.potentials_of

    def potentials(self, data: TrainingSet, *, single: bool) -> Any:
        like = self._blank(single=single)
        if self.start is not None:
            like.take(self.start)
        return self._kinds[not single](self.features.index, like, data.instances, data.gold, self.settings["pairs"])

    def first_weights(self) -> Any:
        return self._blank(single=self.settings["precision"] == "single") if self.start is None else self.start

    def _blank(self, *, single: bool) -> Any:
        return Model.blank(self.features, self.outputs, single=single).weights
