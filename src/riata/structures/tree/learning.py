"""Learning dependency trees whose arcs may cross."""

from riata._core import TreePotentials, TreePotentials64
from riata.learning.arcs import LearntArcs
from riata.structures.tree.model import SpanningTreeOutputs


class LearntTrees(LearntArcs):
    outputs_of = SpanningTreeOutputs
    potentials_of = TreePotentials, TreePotentials64


LEARNING = LearntTrees
