"""Learning: links between two sets."""

from riata.learning.parts import LearntParts
from riata.structures.matching.model import MatchingOutputs


class LearntMatching(LearntParts):
    outputs_of = MatchingOutputs


LEARNING = LearntMatching
