"""Explains the output of a structure that is not searched: its parts and their features, against those of another output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.choosing.options import checked
from riata.errors import LabelError, UnsupportedError
from riata.explaining.contributions import Path

if TYPE_CHECKING:
    from riata.data.types import Corpus, Ids
    from riata.explaining.arcs import ArcChoice
    from riata.explaining.structure import ScoredStructure
    from riata.explaining.trace import Labels


class Scored:
    """The outputs of one sentence, as `explain_sentence` asks for them. labels: the true ones, True for those in the data, or None."""

    trace = None
    lists = True  # whether the runner-up is the second of a list of the best

    def __init__(self, estimator: Any, corpus: Corpus, labels: Any) -> None:
        self.estimator, self.corpus = estimator, corpus
        model, self.inputs = estimator.model_, estimator.columns.input_columns(corpus)
        self.said: ScoredStructure = registry.of_structure("traced", model.structure)(model, self.inputs)
        self.input = tuple(self.inputs.columns[0].texts())
        self.note: str | None = None
        self.truth: Labels | None = None
        self._true: Any = None  # codes of the core
        if labels is not None:
            self._read_truth(None if labels is True else [labels])

    def _read_truth(self, y: Any) -> None:
        try:
            self._true = self._codes(y)
        except LabelError as error:
            self.note = f"The truth cannot be compared: {error.message}"
            return
        self.truth = self.said.shown(self._true)
        if self.never(self._true):
            self.note = f"The structure {self.estimator.model_.structure!r} never gives the truth."

    def _codes(self, y: Any) -> Ids:
        """True or given labels, which are checked."""
        return self.said.codes(
            self.estimator.explaining.true_labels(self.corpus, y, checked(self.estimator, training=False))
        )

    def never(self, codes: Any) -> bool:
        return bool(self.estimator.model_.impossible(self.inputs, codes).any())

    def path(self, labels: Sequence[Any], name: str) -> Path:
        return self.said.path(self.said.codes(labels), name)

    def given(self, labels: Sequence[Any]) -> Path:
        """The path to labels of the user."""
        codes = self._codes([labels])
        if self.never(codes):
            raise UnsupportedError(
                "The model never gives these labels.", remedy="Give an output that the structure allows."
            )
        return self.said.path(codes, "given")

    def true_path(self, name: str) -> Path | None:
        return None if self._true is None else self.said.path(self._true, name)

    def next_output(self, chosen: Path) -> Path | None:
        """Only lists of the best have a next output."""
        return None

    def choices(self, output: Sequence[Any]) -> tuple[ArcChoice, ...]:
        codes = self.said.codes(output)
        try:
            ids, confidences = self.estimator.confidence.confidence_ids(self.corpus)
        except UnsupportedError:
            ids, confidences = None, None
        known = confidences if ids is not None and (ids == codes).all() else None
        if known is not None and not self.estimator.confidence.believable:
            self.note = " ".join(
                part for part in (self.note, "Confidences mean little before the model is calibrated.") if part
            )
        return self.said.choices(codes, known)
