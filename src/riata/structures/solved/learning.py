"""Learning: sets of parts that a function of the user's finds."""

from riata.learning.parts import LearntParts
from riata.structures.solved.model import SolvedOutputs


class LearntSolved(LearntParts):
    outputs_of = SolvedOutputs


LEARNING = LearntSolved
