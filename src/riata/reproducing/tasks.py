"""The tasks that papers report on, as they are done here: an estimator, and the columns it reads and writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from riata.tasks.chunk import Chunker
from riata.tasks.joint import JointTagger
from riata.tasks.ner import EntityRecognizer


@dataclass(frozen=True)
class Task:
    name: str
    make: Callable[..., Any]  # an untrained estimator, from its parameters
    columns: tuple[str, ...]  # of the data set, and of the embedded corpus
    data: str = "conll2000"
    test: str = "test"  # the part of the data set that --final scores


SEGMENTS = Task(
    "chunking by segments",
    partial(Chunker, structure="segments"),
    ("word", "tag", "chunk"),
)

# Words are the input; an operator gives a word its tag and its chunk label. Rows name the features, and say whether there is look-ahead.
JOINT = Task("joint tagging and chunking", JointTagger, ("word", "tag", "chunk"))

ENTITIES = Task("entities", EntityRecognizer, ("word", "tag", "entity"), "conll2002-es", "testb")
