"""The results of training: the model, its labels, and their encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.data.recoding import Recoder, Tags
from riata.data.types import Column, Ids, Starts
from riata.errors import DataError, NotFittedError
from riata.estimators.parameters import Parameters

if TYPE_CHECKING:
    from riata.confidence.calibration import Calibration
    from riata.data.encodings.base import Encoding
    from riata.data.pairs import PairRecoder
    from riata.estimators.input_check import InputCheck
    from riata.estimators.predicting import Predicting
    from riata.features.context_names import Scope
    from riata.learning.diagnostics import Run
    from riata.models.model import Model


class Trained(Parameters):
    """The model, and the conversion of its labels to those that users see."""

    history_: list[dict[str, Any]]
    seconds_: float | None
    inputs_: tuple[int, ...]  # columns that the model reads
    array_width_: int | None  # number of columns of arrays of numbers, if it reads arrays
    outputs_: tuple[int, ...]  # columns of the output in the training data
    format_: str  # of the training data
    names_: tuple[str, ...] = ()  # of the columns of the training data, where they had some
    breadth_: int | None  # number of columns of the training data; None: none after those that were learnt from
    best_epoch_: int
    best_score_: float | None
    facts_: dict[str, Any]
    calibration_: tuple[Calibration, ...]
    uncalibrated_: str = ""  # why training did not calibrate the model, if that is known
    first_: Predicting | None = None  # the first of two passes
    context_: Scope | None = None  # which sentences voted in the second pass
    taggers_: tuple[Any, ...] = ()  # by input column, from the second on, if it tags its words itself
    _exact: Model | None = None  # the model in double precision, if it was learnt so: training goes on from it
    _run: Run | None
    _input: InputCheck | None = None  # None: what training data looked like is not known

    @property
    def _fewest_inputs(self) -> int:
        """How many input columns are needed, whatever the template reads."""
        return 0

    def tagger_counts(self) -> set[int]:
        """How many taggers a model file of it may contain."""
        return {0}

    def _check_fitted(self) -> Model:
        model: Model | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} has not been trained yet.", remedy="Call fit, or riata.load_model(path)."
            )
        return model

    def set_model(self, model: Model, tags: Tags | None) -> None:
        """Sets the model. tags: how chunk labels are learnt and written."""
        self.model_ = model
        self.calibration_, self.uncalibrated_ = (), ""
        self.encoding_ = None if tags is None else tags.data.name
        self.learnt_as_ = None if tags is None else tags.learnt.name
        self._recoder: Recoder | PairRecoder | None = None
        self.classes_: list[Any] = list(model.labels)  # texts, or pairs of texts
        self._texts: list[str] | None = (
            self.classes_
        )  # by label of the model; None: the written label depends on its neighbours
        if tags is not None and tags.recoded:
            self._recoder = self._recoding(model.labels, tags.learnt, tags.data)
            self.classes_ = self._recoder.labels
            table = self._recoder.table
            self._texts = None if table is None else [self.classes_[i] for i in table]

    def _recoding(self, labels: Sequence[str], source: Encoding, target: Encoding) -> Recoder | PairRecoder:
        """The conversion of these labels to another encoding."""
        return Recoder.of(labels, source, target)

    def _class_texts(self) -> list[str]:
        """The classes as they are written in a column."""
        return self.classes_

    def _tags(self) -> Tags | None:
        if self.encoding_ is None or self.learnt_as_ is None:
            return None
        return Tags(registry.get("encoding", self.encoding_), registry.get("encoding", self.learnt_as_))

    def _learnt_column(self, gold: Column, starts: Starts) -> Column:
        """Gold labels of the data as they are learnt."""
        tags = self._tags()
        if tags is None or not tags.recoded:
            return gold
        return self._recoding(gold.alphabet.texts(), tags.data, tags.learnt).column(gold.ids, starts)

    def _as_classes(self, labels: Ids, starts: Starts) -> Ids:
        """Label ids of the model as indices of `classes_`."""
        return labels if self._recoder is None else self._recoder.ids(labels, starts)

    def _as_labels(self, classes: Ids, starts: Starts) -> Ids:
        """Indices of `classes_` as label ids of the model, for outputs of the model."""
        tags = self._tags()
        if tags is None or self._recoder is None:
            return classes
        recoder = self._recoding(self._class_texts(), tags.data, tags.learnt)
        found = self._label_ids(recoder.column(classes, starts))
        if (found < 0).any():
            raise DataError(
                "predicted holds labels that the model never gives in that order.", remedy="Give what predict_ids gave."
            )
        return found

    def _label_ids(self, column: Column) -> Ids:
        """Labels as they are learnt, as ids of the model; -1 if the model does not have them."""
        return column.numbered(self._check_fitted().labels)

    @property
    def output_(self) -> int:
        """The column of the output, or the last of several."""
        return self.outputs_[-1]
