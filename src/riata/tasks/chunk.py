"""Chunking: flat, labelled spans, written as tags (B-NP, I-NP, O)."""

from typing import Any, ClassVar

from riata.estimators.sequence import SequenceEstimator
from riata.params import documented
from riata.tasks.base import Task


class Chunker(SequenceEstimator):
    __doc__ = documented(
        "Finds chunks, from IOB1, IOB2, BIOES or BILOU tags. Scored by span F1, as conlleval counts.",
        """
        >>> train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
        >>> chunker = riata.Chunker(epochs=10).fit(train)
        >>> round(chunker.score(test), 2)
        0.95
        >>> chunker.predict([[("The", "DT"), ("old", "JJ"), ("bus", "NN"), ("stopped", "VBD")]])
        [['B-NP', 'I-NP', 'I-NP', 'B-VP']]
        """,
    )

    task_name = "chunk"
    chunks = True
    default_template = "chunk"
    search_structure = "segments"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        **SequenceEstimator.presets,
        "best": {"recipe": "laso-alma", "epochs": 16, "seeds": 5, "settings": {"update": "best"}},
    }


TASK = Task("chunk", "flat labelled spans, written as tags (B-NP, I-NP, O); scored by span F1", Chunker, (("chunk",),))
