"""Class weights and segments."""

from __future__ import annotations

from riata.errors import UnsupportedError
from riata.learning.online import TrainingSet


def refuse_class_weights(data: TrainingSet) -> None:
    if len(data.class_weights):
        raise UnsupportedError(
            "Segments take no class weights: an update compares segments, not single tags.",
            remedy="Use sample_weight for sentences, or structure='chain'.",
        )
