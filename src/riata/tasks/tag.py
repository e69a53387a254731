"""Tagging: a plain label for every token."""

from riata.estimators.sequence import SequenceEstimator
from riata.params import documented
from riata.tasks.base import Task


class Tagger(SequenceEstimator):
    __doc__ = documented(
        "Tags every token: parts of speech, or any plain labels. Scored by accuracy.",
        """
        >>> tagger = riata.Tagger().fit([["The", "bus", "stopped"]], [["DT", "NN", "VBD"]])
        >>> tagger.predict([["The", "bus"]])
        [['DT', 'NN']]
        """,
    )

    task_name = "tag"
    chunks = False
    default_template = "tag"


TASK = Task(
    "tag", "a plain label for every token, such as its part of speech; scored by accuracy", Tagger, (("tag", "xpos"),)
)
