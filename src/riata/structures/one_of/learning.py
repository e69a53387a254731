"""Learning: one part of several: a candidate out of a list."""

from riata.learning.parts import LearntParts
from riata.structures.one_of.model import OneOfOutputs


class LearntOneOf(LearntParts):
    outputs_of = OneOfOutputs


LEARNING = LearntOneOf
