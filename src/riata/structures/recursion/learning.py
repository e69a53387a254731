"""Learning: sets of parts by a dynamic program of the user's, recorded in Python."""

from riata.learning.parts import LearntParts
from riata.structures.recursion.model import RecursionOutputs


class LearntRecursion(LearntParts):
    outputs_of = RecursionOutputs


LEARNING = LearntRecursion
