"""What explanations ask of a structure: the actions and outputs of its search in words; or, if it is not searched, the parts of outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from riata.data.types import Corpus, Ids
from riata.errors import LabelError
from riata.explaining.trace import Labels
from riata.models.model import Model

if TYPE_CHECKING:
    from riata.explaining.arcs import ArcChoice
    from riata.explaining.contributions import Path

Action = tuple[int, int]  # of the core: number of tokens covered before, and the code of what is added


class TracedStructure(ABC):
    """The search of one sentence. In `structures`, one file per structure, with its name, defines TRACED."""

    merges: ClassVar[bool] = True  # whether a right step that is not a candidate was merged into a better one

    def __init__(self, model: Model, inputs: Corpus) -> None:
        self.model, self.inputs = model, inputs

    def codes(self, truth: Sequence[str]) -> Ids:
        """True labels as codes of the core."""
        return self.model.outputs.codes(gold_ids(truth, self.model.labels), self.inputs.starts)

    def shown(self, truth: Sequence[str]) -> Labels:
        """True labels as people write them."""
        return tuple(truth)

    @abstractmethod
    def action(self, step: Action) -> str:
        """An action in words."""

    @abstractmethod
    def output(self, path: Sequence[Action]) -> Labels:
        """The labels that all actions of a path give."""


class ScoredStructure(ABC):
    """One sentence of a structure that is not searched step by step, but whose outputs are scored part by part. TRACED, too."""

    def __init__(self, model: Model, inputs: Corpus) -> None:
        self.model, self.inputs = model, inputs

    @abstractmethod
    def codes(self, labels: Sequence[Any]) -> Ids:
        """Labels, as predict gives them or as a column has them, as codes of the core; LabelError if the model does not have a label."""

    @abstractmethod
    def shown(self, codes: Ids) -> Labels:
        """Labels as people write them."""

    @abstractmethod
    def path(self, codes: Ids, name: str) -> Path:
        """An output, part by part."""

    @abstractmethod
    def choices(self, codes: Ids, confidences: Any) -> tuple[ArcChoice, ...]:
        """What was chosen for every token. confidences: [outputs, T] or None."""


def gold_ids(labels: Sequence[str], known: Sequence[str]) -> Ids:
    """Labels as numbers of the model; LabelError if the model does not have a label."""
    for label in labels:
        if label not in known:
            raise LabelError(
                f"label {label!r} is unknown to the model, so no path leads to it; it has {', '.join(known[:12])}."
            )
    return np.array([known.index(label) for label in labels], np.int32)
