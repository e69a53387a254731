"""Learning: one part of several: a candidate out of a list."""

from riata.learning.parts import LearntParts
from riata.structures.list.model import ListOutputs


class LearntList(LearntParts):
    outputs_of = ListOutputs


LEARNING = LearntList
