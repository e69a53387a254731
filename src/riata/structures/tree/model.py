"""Dependency trees whose arcs may cross: what a model asks of them."""

from __future__ import annotations

from riata._core import TreeWeights, TreeWeights64
from riata.features.arcs import ArcFeatures
from riata.features.compile import Features
from riata.models.arc_outputs import ArcOutputs
from riata.models.model import of_kind
from riata.models.outputs import Refusal


class SpanningTreeOutputs(ArcOutputs):
    structure = "tree"
    precisions = TreeWeights, TreeWeights64

    def exact_refusal(self, features: Features) -> Refusal | None:
        found = next((one for one in of_kind(features, ArcFeatures).templates if one.sibling), None)
        if found is None:
            return None
        return Refusal(
            f"'{found}' reads siblings, and where arcs may cross nobody can find the best tree with them in reasonable time",
            found,
            "leave out lines for sibling, or use structure='projective'",
        )


OUTPUTS = SpanningTreeOutputs
