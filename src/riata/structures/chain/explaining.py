"""Traces of chains. An action is a label."""

from collections.abc import Sequence

from riata.explaining.structure import Action, TracedStructure
from riata.explaining.trace import Labels


class TracedChain(TracedStructure):
    def action(self, step: Action) -> str:
        return self.model.labels[step[1]]

    def output(self, path: Sequence[Action]) -> Labels:
        return tuple(map(self.action, path))


TRACED = TracedChain
