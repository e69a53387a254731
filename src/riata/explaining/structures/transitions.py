"""Traces of a parser that builds trees by moves. An action is a move, such as `shift` or `left nsubj`."""

from collections.abc import Sequence

import numpy as np

from riata.data.pairs import parts_of
from riata.data.trees import tree_codes
from riata.data.types import Column, Ids
from riata.explaining.structure import Action, TracedStructure, gold_ids
from riata.explaining.trace import Labels
from riata.models.names.transitions import action_name
from riata.models.structures.transitions import PRECISIONS, TransitionOutputs


class TracedTransitions(TracedStructure):
    @property
    def outputs(self) -> TransitionOutputs:
        return self.model.outputs_as(TransitionOutputs)

    def codes(self, truth: Sequence[str]) -> Ids:
        gold_ids(
            [relation for _, relation in map(parts_of, truth)], self.outputs.relations
        )  # refuses unknown relations
        trees = tree_codes(Column.of(list(truth)), self.outputs.relations)
        return self.outputs.codes(trees, self.inputs.starts)  # any tags are right

    def shown(self, truth: Sequence[str]) -> Labels:
        return tuple(map(parts_of, truth))

    def action(self, step: Action) -> str:
        return action_name(self.outputs, step[1])

    def output(self, path: Sequence[Action]) -> Labels:
        """A head and a relation per token; those that have none yet count as roots."""
        moves = np.array([move for _, move in path], np.int32)
        codes = self.model.weights_as(PRECISIONS).follow(moves, self.inputs.tokens)
        trees = self.outputs.label_ids(codes, self.inputs.starts)
        heads, relations = np.divmod(trees, np.int32(len(self.outputs.relations)))
        named = (self.outputs.relations[relation] for relation in relations.tolist())
        return tuple(zip(map(str, heads.tolist()), named, strict=True))


TRACED = TracedTransitions
