"""Tagging: a plain label for every token."""

from riata.estimators.parameters import PARAMETERS
from riata.tasks.base import SequenceEstimator, Task


class Tagger(SequenceEstimator):
    __doc__ = f"Tags every token: parts of speech, or any plain labels. Scored by accuracy.\n\n{PARAMETERS}"

    task_name = "tag"
    chunks = False
    default_template = "tag"


TASK = Task(
    "tag", "a plain label for every token, such as its part of speech; scored by accuracy", Tagger, (("tag", "xpos"),)
)
