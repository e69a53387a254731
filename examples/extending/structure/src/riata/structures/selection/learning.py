"""Learning: so many parts of an input."""

from riata.learning.parts import LearntParts
from riata.structures.selection.model import SelectionOutputs


class LearntSelection(LearntParts):
    outputs_of = SelectionOutputs


LEARNING = LearntSelection
