"""Learning dependency trees whose arcs may cross."""

from riata._core import TreePotentials, TreePotentials64
from riata.learning.arcs import LearntArcs
from riata.models.structures.tree import TreeOutputs


class LearntTrees(LearntArcs):
    outputs_of = TreeOutputs
    potentials_of = TreePotentials, TreePotentials64


LEARNT = LearntTrees
