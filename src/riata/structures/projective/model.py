"""Dependency trees without crossing arcs: what a model asks of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riata._core import ProjectiveWeights, ProjectiveWeights64
from riata.data.trees import crossing
from riata.data.types import Corpus, Ids
from riata.models.arc_outputs import ArcOutputs
from riata.models.model import Model


class ProjectiveOutputs(ArcOutputs):
    structure = "projective"
    precisions = ProjectiveWeights, ProjectiveWeights64
    crossing = False

    def impossible(self, model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether the arc of a token crosses another, or has a relation that it cannot have."""
        crosses = crossing((labels // len(self.relations)).astype(np.int32), corpus.starts)
        return crosses | super().impossible(model, corpus, labels)


OUTPUTS = ProjectiveOutputs
