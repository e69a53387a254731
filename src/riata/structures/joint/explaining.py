"""Traces of tags with chunk labels. An action is a tag and a chunk label, such as DT B-NP.

With look-ahead the chunk label is that of the token before, so the first action is a tag and the last a chunk label.
"""

from collections.abc import Sequence

import numpy as np

from riata.data.pairs import parts_of
from riata.data.types import Ids
from riata.explaining.structure import Action, TracedStructure, gold_ids
from riata.explaining.trace import Labels
from riata.structures.joint.model import PRECISIONS, JointOutputs


class TracedJoint(TracedStructure):
    merges = False

    @property
    def outputs(self) -> JointOutputs:
        return self.model.outputs_as(JointOutputs)

    def codes(self, truth: Sequence[str]) -> Ids:
        tags, chunks = zip(*map(parts_of, truth), strict=True)
        of_tag, of_chunk = gold_ids(tags, self.outputs.tags), gold_ids(chunks, self.outputs.chunks)
        return of_tag * np.int32(len(self.outputs.chunks)) + of_chunk

    def shown(self, truth: Sequence[str]) -> Labels:
        return tuple(map(parts_of, truth))

    def _given(self, step: Action) -> tuple[str | None, str | None]:
        """The tag and the chunk label that an action gives; None if it gives none."""
        before, code = step
        tag, chunk = divmod(code, len(self.outputs.chunks))
        return (
            self.outputs.tags[tag] if before < self.inputs.tokens else None,
            self.outputs.chunks[chunk] if before >= self._ahead else None,
        )

    @property
    def _ahead(self) -> int:
        return int(self.model.weights_as(PRECISIONS).ahead)

    def action(self, step: Action) -> str:
        return " ".join(label for label in self._given(step) if label is not None)

    def output(self, path: Sequence[Action]) -> Labels:
        steps = [self._given(step) for step in path]
        return tuple((str(tag), str(chunk)) for (tag, _), (_, chunk) in zip(steps, steps[self._ahead :], strict=False))


TRACED = TracedJoint
