"""Traces of a parser that builds trees by moves. An action is a move, such as `shift` or `left nsubj`."""

from collections.abc import Sequence

import numpy as np

from riata.data.pairs import BETWEEN
from riata.data.trees import tree_codes
from riata.data.types import Column, Ids
from riata.explaining.structure import Action, TracedStructure, gold_ids
from riata.explaining.trace import Labels
from riata.structures.transitions.model import PRECISIONS, TransitionOutputs
from riata.structures.transitions.names import action_name


class TracedTransitions(TracedStructure):
    @property
    def outputs(self) -> TransitionOutputs:
        return self.model.outputs_as(TransitionOutputs)

    open_tags = False  # whether the truth leaves some tags open

    def codes(self, truth: Sequence[str]) -> Ids:
        """A text has a head, a relation and, where tags are chosen, the tag; without it, any tag is right."""
        outputs, parts = self.outputs, [text.split(BETWEEN) for text in truth]
        gold_ids([relation for _, relation, *_ in parts], outputs.relations)  # refuses unknown relations
        gold_ids([tag for _, _, *tags in parts for tag in tags], outputs.chosen)
        trees = tree_codes(Column.of([BETWEEN.join(each[:2]) for each in parts]), outputs.relations)
        codes = outputs.codes(trees, self.inputs.starts)
        self.open_tags = any(len(each) < 3 for each in parts)
        return (
            outputs.with_tags(codes, Column.of(["".join(tags) for _, _, *tags in parts])) if outputs.chosen else codes
        )

    def shown(self, truth: Sequence[str]) -> Labels:
        """With tags, if all are known."""
        parts = [tuple(text.split(BETWEEN)) for text in truth]
        return tuple(each[: min(map(len, parts))] for each in parts)

    def action(self, step: Action) -> str:
        return action_name(self.outputs, step[1])

    def output(self, path: Sequence[Action]) -> Labels:
        """A head and a relation per token; those that have none yet count as roots. Chosen tags are the third part, unless the truth leaves
        tags open.
        """
        moves = np.array([move for _, move in path], np.int32)
        codes = self.model.weights_as(PRECISIONS).follow(moves, self.inputs.tokens)
        trees = self.outputs.label_ids(codes, self.inputs.starts)
        heads, relations = np.divmod(trees, np.int32(len(self.outputs.relations)))
        named = (self.outputs.relations[relation] for relation in relations.tolist())
        arcs = tuple(zip(map(str, heads.tolist()), named, strict=True))
        if not self.outputs.chosen or self.open_tags:
            return arcs
        return tuple((*arc, tag) for arc, tag in zip(arcs, self.outputs.chosen_tags(codes).texts(), strict=True))


TRACED = TracedTransitions
