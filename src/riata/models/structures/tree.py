"""Dependency trees whose arcs may cross: what a model asks of them."""

from riata._core import TreeWeights, TreeWeights64
from riata.models.arc_outputs import ArcOutputs


class TreeOutputs(ArcOutputs):
    structure = "tree"
    precisions = TreeWeights, TreeWeights64


OUTPUTS = TreeOutputs
