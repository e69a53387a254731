"""Chunking: flat, labelled spans, written as tags (B-NP, I-NP, O)."""

from typing import Any, ClassVar

from riata.estimators.parameters import PARAMETERS
from riata.tasks.base import SequenceEstimator, Task


class Chunker(SequenceEstimator):
    __doc__ = (
        f"Finds chunks, from IOB1, IOB2, BIOES or BILOU tags. Scored by span F1, as conlleval counts.\n\n{PARAMETERS}"
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
