"""Entity recognition: names and their types, as chunks."""

from __future__ import annotations

from riata.tasks.base import Task
from riata.tasks.chunk import Chunker


class EntityRecognizer(Chunker):
    __doc__ = (Chunker.__doc__ or "").replace("Finds chunks,", "Finds named entities,")

    task_name = "ner"
    default_template = "ner"


TASK = Task("ner", "names and their types as tags (B-PER, I-PER, O); span F1 as conlleval counts", EntityRecognizer, chunks=True)
