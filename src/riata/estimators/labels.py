"""The labels of an estimator of sequences: as they are learnt, as numbers of the model, and as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from riata import registry
from riata.data.encodings.base import Tags
from riata.data.recoding import Recoder
from riata.data.types import Column, Corpus, Ids, Starts, interned
from riata.errors import DataError, SettingError

if TYPE_CHECKING:
    from riata.data.encodings.base import Encoding
    from riata.data.pairs import PairRecoder
    from riata.estimators.columns import Columns
    from riata.estimators.sequence import SequenceEstimator
    from riata.learning.events import Listener
    from riata.models.model import Model
    from riata.scoring.evaluation import Evaluation


class Part:
    """What one duty of an estimator is done by. It stores nothing: all that is learnt is in the estimator."""

    def __init__(self, estimator: SequenceEstimator) -> None:
        self.estimator: Any = estimator  # parts of tasks know attributes that other tasks do not have

    @property
    def model(self) -> Model:
        """The trained model; an error before training."""
        found: Model | None = getattr(self.estimator, "model_", None)
        return self.estimator._check_fitted() if found is None else found

    @property
    def labels(self) -> Labels:
        found: Labels = self.estimator.labels
        return found

    @property
    def columns(self) -> Columns:
        found: Columns = self.estimator.columns
        return found


P = TypeVar("P", bound=Part)


class Has(Generic[P]):
    """A part of every estimator of a class. Tasks whose outputs differ name another part."""

    def __init__(self, part: type[P]) -> None:
        self.part = part

    @overload
    def __get__(self, estimator: None, owner: type) -> type[P]: ...
    @overload
    def __get__(self, estimator: SequenceEstimator, owner: type) -> P: ...
    def __get__(self, estimator: SequenceEstimator | None, owner: type) -> P | type[P]:
        return self.part if estimator is None else self.part(estimator)


class Labels(Part):
    """One label per token."""

    names: tuple[str, ...] = ("labels",)  # what the outputs are called

    @property
    def chunk_outputs(self) -> tuple[bool, ...]:
        """For each output, whether it consists of chunk labels."""
        return (self.estimator.chunks,)

    def set_model(self, model: Model, tags: Tags | None) -> None:
        """Sets the model of the estimator. tags: how chunk labels are learnt and written."""
        classes: Any = list(model.labels)  # texts, or pairs of texts
        texts, recoder = classes, None  # by label of the model; None: the written label depends on its neighbours
        if tags is not None and tags.data.name != tags.learnt.name:
            recoder = self.recoding(model.labels, tags.learnt, tags.data)
            classes, table = recoder.labels, recoder.table
            texts = None if table is None else [classes[i] for i in table]
        self.estimator.__dict__.update(
            model_=model,
            calibration_=(),
            uncalibrated_="",
            encoding_=None if tags is None else tags.data.name,
            learnt_as_=None if tags is None else tags.learnt.name,
            classes_=classes,
            _recoder=recoder,
            _texts=texts,
        )

    def recoding(self, labels: Sequence[str], source: Encoding, target: Encoding) -> Recoder | PairRecoder:
        """The conversion of these labels to another encoding."""
        return Recoder.of(labels, source, target)

    def class_texts(self) -> list[str]:
        """The classes as they are written in a column."""
        found: list[str] = self.estimator.classes_
        return found

    def class_names(self, classes: Any) -> tuple[str, ...]:
        """The classes that users give, as they are learnt."""
        if classes is None:
            return ()
        if isinstance(classes, str) or not all(isinstance(label, str) for label in classes):
            raise SettingError(f"classes is {classes!r}; expected a list of labels, each a string.")
        return tuple(classes)

    def votes(self) -> tuple[list[str], list[str] | None]:
        """The classes for which a first pass votes, and the chunk labels in them, if they have any."""
        return self.estimator.classes_, self.estimator.classes_ if self.estimator.chunks else None

    def tags(self) -> Tags | None:
        """How chunk labels are learnt and written; None: labels are plain."""
        estimator = self.estimator
        if estimator.encoding_ is None or estimator.learnt_as_ is None:
            return None
        return Tags(registry.get("encoding", estimator.encoding_), registry.get("encoding", estimator.learnt_as_))

    def learnable(self, data: Corpus, tell: Listener, *, strict: bool = False) -> Corpus:
        """Data with gold labels, written as the model has learnt them.

        A model that gives illegal tags (an imported one) has learnt them as they are.
        """
        from riata.learning.labels import learnable

        tags = self.tags()
        if tags is None or self.model.outputs.are_free:
            return data
        return learnable(data, tags, strict=strict, listener=tell)

    def learnt_column(self, gold: Column, starts: Starts) -> Column:
        """Gold labels of the data as they are learnt."""
        tags = self.tags()
        if tags is None or not tags.recoded:
            return gold
        return self.recoding(gold.alphabet.texts(), tags.data, tags.learnt).column(gold.ids, starts)

    def as_classes(self, labels: Ids, starts: Starts) -> Ids:
        """Label ids of the model as indices of `classes_`."""
        recoder = self.estimator._recoder
        found: Ids = labels if recoder is None else recoder.ids(labels, starts)
        return found

    def as_labels(self, classes: Ids, starts: Starts) -> Ids:
        """Indices of `classes_` as label ids of the model, for outputs of the model."""
        tags = self.tags()
        if tags is None or self.estimator._recoder is None:
            return classes
        recoder = self.recoding(self.class_texts(), tags.data, tags.learnt)
        found = self.label_ids(recoder.column(classes, starts))
        if (found < 0).any():
            raise DataError(
                "predicted holds labels that the model never gives in that order.", remedy="Give what predict_ids gave."
            )
        return found

    def label_ids(self, column: Column) -> Ids:
        """Labels as they are learnt, as ids of the model; -1 if the model does not have them."""
        return column.numbered(self.model.labels)

    def true_ids(self, data: Corpus, model: Model) -> Ids:
        """The gold output of learnable data as ids of the model; a label that the model does not have is an error."""
        from riata.learning.labels import LabelSet
        from riata.learning.structure import label_ids

        return label_ids(data, LabelSet(model.labels, {}, self.tags()))

    def as_outputs(self, ids: Ids) -> list[Any]:
        """Numbers that predict_ids gives, as users see them."""
        classes = self.estimator.classes_
        return [classes[i] for i in ids]

    def as_given_out(self, outputs: list[list[str | None]]) -> list[Any]:
        """The labels that abstaining leaves, as users see them."""
        return outputs[0] if len(outputs) == 1 else list(zip(*outputs, strict=True))

    def output_columns(self, ids: Ids) -> Sequence[Column]:
        """The columns to write for the result of predict_ids."""
        return (Column(interned(self.estimator.classes_)[0], ids),)

    @staticmethod
    def check_gold(corpus: Corpus) -> None:
        """Refuses gold outputs, the last columns, that nothing can be compared with."""

    def evaluated(self, gold: Column, predicted: Ids, starts: Starts) -> Evaluation:
        """The score of predicted classes against gold labels."""
        from riata.scoring.evaluation import evaluate_column

        return evaluate_column(gold, predicted, self.estimator.classes_, starts, chunks=self.estimator.chunks)

    @staticmethod
    def compared(gold: Sequence[Column], found: Sequence[Column], starts: Starts, *, chunks: bool) -> Evaluation:
        """Columns of labels against those of gold, one per output; no model is needed."""
        from riata.scoring.evaluation import evaluate

        both, half = Column.of([*gold[0].texts(), *found[0].texts()]), len(gold[0].ids)
        return evaluate(both.alphabet.texts(), both.ids[:half], both.ids[half:], starts, chunks=chunks)
