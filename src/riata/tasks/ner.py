"""Entity recognition: names and their types, as chunks."""

from riata.estimators.sequence import SequenceEstimator
from riata.params import documented
from riata.tasks.base import Task


class EntityRecognizer(SequenceEstimator):
    __doc__ = documented(
        "Finds named entities, from IOB1, IOB2, BIOES or BILOU tags. Scored by span F1, as conlleval counts.",
        """
        >>> train = riata.load("embedded", "train", ("word", "entity"))
        >>> recognizer = riata.EntityRecognizer(epochs=10).fit(train)
        >>> recognizer.predict([["She", "lives", "in", "Harwick", "."]])
        [['O', 'O', 'O', 'B-LOC', 'O']]
        """,
    )

    task_name = "ner"
    chunks = True
    default_template = "ner"


TASK = Task(
    "ner",
    "names and their types, written as tags (B-PER, I-PER, O); scored by span F1",
    EntityRecognizer,
    (("entity",),),
)
