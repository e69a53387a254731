"""What a trace asks of a structure: its actions and outputs in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from riata.data.types import Corpus, Ids
from riata.errors import LabelError
from riata.explaining.trace import Labels
from riata.models.model import Model

Action = tuple[int, int]  # of the core: tokens covered before, and the code of what is added


class TracedStructure(ABC):
    """The search of one sentence. One file in `structures` per structure, named for it, defines TRACED."""

    merges: ClassVar[bool] = True  # a right step that is not even a candidate was merged into a better one

    def __init__(self, model: Model, inputs: Corpus) -> None:
        self.model, self.inputs = model, inputs

    def codes(self, truth: Sequence[str]) -> Ids:
        """True labels as the core knows them."""
        return self.model.outputs.codes(gold_ids(truth, self.model.labels), self.inputs.starts)

    def shown(self, truth: Sequence[str]) -> Labels:
        """True labels as people know them."""
        return tuple(truth)

    @abstractmethod
    def action(self, step: Action) -> str:
        """An action in words."""

    @abstractmethod
    def output(self, path: Sequence[Action]) -> Labels:
        """The labels that all actions of a path give."""


def gold_ids(labels: Sequence[str], known: Sequence[str]) -> Ids:
    """Labels as numbers of the model; LabelError where it does not have one."""
    for label in labels:
        if label not in known:
            raise LabelError(
                f"label {label!r} is unknown to the model, so no path leads to it; it has {', '.join(known[:12])}."
            )
    return np.array([known.index(label) for label in labels], np.int32)
