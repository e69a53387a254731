"""Traces of segments. An action is a segment, such as NP[2:5]: its tokens are 2, 3 and 4, the first of the sentence being 0."""

from collections.abc import Sequence

import numpy as np

from riata.explaining.structure import Action, TracedStructure
from riata.explaining.trace import Labels
from riata.structures.segments.model import SegmentOutputs


class TracedSegments(TracedStructure):
    def action(self, step: Action) -> str:
        types = self.model.outputs_as(SegmentOutputs).segmentation.types
        length, kind = divmod(step[1], len(types))
        return f"{types[kind]}[{step[0]}:{step[0] + length + 1}]"

    def output(self, path: Sequence[Action]) -> Labels:
        codes = np.full(self.inputs.tokens, -1, np.int32)
        for start, code in path:
            codes[start] = code
        return tuple(self.model.labels[i] for i in self.model.outputs.label_ids(codes, self.inputs.starts))


TRACED = TracedSegments
