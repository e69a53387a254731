"""The confidence of estimators of sequences in their predictions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata import registry
from riata.data.types import Column, Corpus, Ids, PerSentence
from riata.errors import DataError, RiataWarning, SettingError, UnsupportedError, printed
from riata.estimators.labels import Part

if TYPE_CHECKING:
    from riata.confidence.calibration import (
        Calibrated,
        Calibration,
        CalibrationReport,
        Judge,
        JudgedUnits,
        Reliability,
        Rights,
        Values,
    )
    from riata.inference.structure import Decoder

ROUNDING = 1e-6  # two expected F1 that differ by no more are equal
SUMMED = "Probabilities are summed over all outputs"


class Confidence(Part):
    """Confidence in every chunk or tag, its calibration, and abstaining."""

    @property
    def believable(self) -> bool:
        """Whether confidences are meaningful: they were calibrated, or the recipe has learnt probabilities."""
        from riata.choosing.recipe import recipe_name

        estimator = self.estimator
        learnt = getattr(estimator, "facts_", {}).get("recipe") or recipe_name(estimator)
        return bool(estimator.calibration_) or bool(registry.get("recipe", learnt).probabilistic)

    @property
    def why_uncalibrated(self) -> str:
        """A sentence without its end: that the model is not calibrated, and the reason, if it is known."""
        why = self.estimator.uncalibrated_
        return "The model is not calibrated" + (f" ({why})" if why else "")

    def _decoder(self) -> Decoder:
        found: Decoder = self.estimator.predicting.decoder()
        return found

    def _inputs(self, X: Any) -> Corpus:
        return self.columns.input_columns(self.columns.sentences(X))

    def warn(self) -> None:
        """Warns the caller of the method of the estimator, once per model, if confidences are not meaningful."""
        if not self.believable:
            self._warn(
                "uncalibrated",
                f"{self.why_uncalibrated}, so its confidences mean little; calibrate(dev) makes them believable.",
            )
        self._warn_of_other_search()

    def _warn_of_other_search(self) -> None:
        found = self._decoder().width
        fitted = next((each.search for each in self.estimator.calibration_ if each.search), found)
        if found != fitted:
            self._warn(
                "search",
                f"Confidences were calibrated with another search ({fitted}) than the present one ({found}), so they mean less; "
                "call calibrate(dev) again.",
                stacklevel=6,
            )

    def _warn(self, what: str, text: str, stacklevel: int = 5) -> None:
        """Warns the caller of the method of the estimator, of each thing once per model."""
        model, told = self.model, self.estimator._warned_of
        known = told[1] if told is not None and told[0] is model else frozenset[str]()
        if what not in known:
            self.estimator._warned_of = model, known | {what}
            warnings.warn(text, RiataWarning, stacklevel=stacklevel)

    def check_abstains(self, least: float) -> None:
        """Refuses a least confidence that is none, or whose meaning nobody knows; warns of one that is never reached."""
        check_least(least)
        if not self.believable:
            raise UnsupportedError(
                f"min_confidence leaves out what the model is not sure of. {self.why_uncalibrated}, so its confidences mean little.",
                remedy="Call calibrate(dev) first (riata calibrate), with sentences that it was not trained on.",
            )
        self._warn_of_other_search()
        for kind, calibration in zip(self._kinds(), self.estimator.calibration_, strict=False):
            if least > (most := calibration.most):
                self._warn(
                    kind,
                    f"min_confidence is {least:g}, but the confidence of {kind} is never above {most:.3g}, so all of them are left out; "
                    "use a lower bound.",
                )

    def _kinds(self) -> list[str]:
        """What is predicted, output by output."""
        plain = ("heads", "relations") if self.estimator.trees else ("tags",) * len(self.labels.chunk_outputs)
        return ["chunks" if chunks else name for chunks, name in zip(self.labels.chunk_outputs, plain, strict=False)]

    def confidence_ids(self, X: Any) -> tuple[Ids, Values]:
        """Labels as predict_ids returns them, [N], and the confidence of the search in each: [outputs, N] from 0 to 1.

        A token has the confidence of its chunk, or of its label if it is in none. Confidence is the share of the outputs that the search
        has kept that have the same chunk at this place; with exact decoding, its probability. It is reliable once the estimator is
        calibrated.
        """
        from riata.confidence.calibration import UNCALIBRATED
        from riata.estimators.given_labels import certain

        self.estimator._check_fitted()
        corpus = self._inputs(X)
        used = self.estimator.calibration_ or (UNCALIBRATED,) * len(self.labels.chunk_outputs)
        labels, values = self.weighed(corpus, [each.temperature for each in used])
        ids = self.labels.as_classes(labels, corpus.starts)
        shown = values[np.arange(len(used)), np.arange(len(used))]
        for output, (calibration, column, chunks) in enumerate(
            zip(used, self.labels.output_columns(ids), self.labels.chunk_outputs, strict=True)
        ):
            judged = ~_outside(column) if chunks else np.ones(len(ids), bool)
            judged &= ~certain(corpus, shown[output])
            shown[output, judged] = calibration.corrected(shown[output, judged])
        return ids, shown

    def margins_of(self, X: Any) -> Values:
        """By how much the score of the best output falls if a token must have another label than the predicted one, or a chunk must go:
        [outputs, N], 0 or more; NaN: the search knows no other output.
        """
        from riata.confidence.calibration import TEMPERATURES, margins

        self.estimator._check_fitted()
        return margins(self.weighed(self._inputs(X), TEMPERATURES.tolist())[1])

    def predict_confidence(self, X: Any, *, given: Any = None) -> list[Any]:
        from riata.data.memory import is_empty

        self.warn()
        corpus = self.columns.knowing(X, given)
        if is_empty(X):
            return PerSentence([] for _ in X)
        _, values = self.confidence_ids(corpus)
        rows: list[Any] = values[0].tolist() if len(values) == 1 else list(map(tuple, values.T.tolist()))
        return PerSentence(rows[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True))

    def predict_proba(self, X: Any, *, given: Any = None) -> list[Values]:
        from riata.data.memory import is_empty

        model = self.model
        sentences = self.columns.knowing(X, given)
        if is_empty(X):
            return PerSentence(np.empty((0, len(self.estimator.classes_))) for _ in X)
        model, corpus = model.masked(self.columns.input_columns(sentences), self._decoder(), SUMMED)
        rows, _ = model.probabilities(corpus, self.temperature())
        if self.estimator._recoder is not None:
            rows = self._summed_by_class(rows)
        return PerSentence(rows[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True))

    def log_likelihood(self, X: Any, y: Any = None) -> Values:
        from riata.data.memory import is_empty, label_column
        from riata.data.types import inputs_of

        model = self.model
        if is_empty(X):  # an empty sentence has only one output
            label_column(X if y is None else y, self.columns.knowing(X, None))  # refuses labels of other sentences
            return np.zeros(len(X))
        data = self.columns.with_gold(X, y)
        temperature = self.temperature()
        model, inputs = model.masked(inputs_of(data), self._decoder(), SUMMED)
        _, log_z = model.probabilities(inputs, temperature)
        labels = self.labels.label_ids(self.labels.learnt_column(data.columns[-1], data.starts))
        known = np.maximum(labels, 0)
        scores = model.scores_of(model.instances(inputs), known)
        never = np.flatnonzero((labels < 0) | model.impossible(inputs, known) | self._written_otherwise(data, known))
        scores[np.searchsorted(data.starts, never, side="right") - 1] = -np.inf
        found: Values = np.minimum(scores / temperature - log_z, 0.0)
        return found

    def _written_otherwise(self, data: Corpus, labels: Ids) -> Rights:
        """The tokens whose gold label is not written as predictions of these labels would be: [N].

        With learn_as, legal and illegal gold labels may be learnt as the same labels; predictions are then the legal ones.
        """
        if self.estimator._recoder is None:
            return np.zeros(len(labels), bool)
        gold, at = data.columns[-1], {text: i for i, text in enumerate(self.estimator.classes_)}
        classes = np.array([at.get(text, -1) for text in gold.alphabet.texts()], np.int32)[gold.ids]
        differ: Rights = classes != self.labels.as_classes(labels, data.starts)
        return differ

    def _summed_by_class(self, rows: Values) -> Values:
        """Probabilities of labels as they are learnt, converted to those of labels as they are written."""
        table = None if self.estimator._recoder is None else self.estimator._recoder.table
        if table is None:
            raise UnsupportedError(
                "What a label that was learnt is written as depends on its neighbours here, so it has no probability of its own.",
                remedy="Leave out learn_as, or use predict_confidence.",
            )
        found = np.zeros((len(rows), len(self.estimator.classes_)))
        for label, of in enumerate(table):
            found[:, of] += rows[:, label]
        return found

    def temperature(self) -> float:
        from riata.confidence.calibration import UNCALIBRATED

        found: float = (self.estimator.calibration_ or (UNCALIBRATED,))[0].temperature
        return found

    def expected_f1(self, X: Any) -> float:
        from riata.choosing.losses import risk_of
        from riata.data.memory import is_empty
        from riata.inference.structure import SPANS

        model = self.model
        if not self.estimator.chunks:
            raise UnsupportedError(
                f"expected_f1 is of chunks, and the task {self.estimator.task_name!r} has plain labels.",
                remedy="Use predict_confidence.",
            )
        risk = risk_of({"decode": SPANS, "span_cost": 1.0}, chunks=True, task=self.estimator.task_name)
        assert risk is not None
        if is_empty(X):
            return 0.0
        model, corpus = model.masked(self._inputs(X), self._decoder(), SUMMED)
        cost = 1.0
        while True:  # the ratio falls or stays from one cost to the next, and there are finitely many labellings
            right, found, true = model.expected(
                corpus, replace(risk, span_cost=cost, temperature=self.temperature())
            ).sum(axis=0)
            ratio = 2 * right / (found + true) if found + true > 0 else 0.0
            if abs(ratio - cost) <= ROUNDING:
                return float(ratio)
            cost = ratio

    def nbest_probabilities(self, X: Any, scores: Sequence[Sequence[float]]) -> list[list[float]]:
        """The probabilities of the labellings whose scores predict_nbest returned for these sentences, among all labellings."""
        temperature = self.temperature()
        model, inputs = self.model.masked(self._inputs(X), self._decoder(), SUMMED)
        _, log_z = model.probabilities(inputs, temperature)
        rows = zip(scores, log_z.tolist(), strict=True)
        return [[min(1.0, math.exp(min(0.0, score / temperature - z))) for score in each] for each, z in rows]

    def calibrate(self, X: Any, y: Any = None, *, method: str = "temperature") -> CalibrationReport:
        from riata.confidence.calibration import UNCALIBRATED, CalibrationReport, check_method
        from riata.data.types import inputs_of

        check_method(method)
        self.estimator._check_fitted()
        data = self.columns.with_gold(X, y)
        corpus = inputs_of(data)
        labels, _ = self.weighed(corpus, [1.0])
        ids = self.labels.as_classes(labels, data.starts)
        found, present = [], self.estimator.calibration_ or (UNCALIBRATED,) * len(self.labels.chunk_outputs)
        kinds = self._kinds()
        for output, judged in enumerate(self.judged(data, ids)):
            known: dict[float, Values] = {}

            def judge(
                temperatures: list[float], output: int = output, judged: JudgedUnits = judged, known: Any = known
            ) -> Values:
                new = [t for t in temperatures if t not in known]
                if new:
                    known |= zip(new, self.weighed(corpus, new)[1][:, output, judged.tokens], strict=True)
                return np.stack([known[t] for t in temperatures])

            found.append(_calibrated(judge, judged, method, kinds[output], data.document, present[output]))
        self.keep(each.calibration for each in found)
        return CalibrationReport(method, tuple(found))

    def keep(self, found: Iterable[Calibration]) -> None:
        """Stores calibrations, and the search with which they were found."""
        search = self._decoder().width
        self.estimator.calibration_ = tuple(replace(each, search=search) for each in found)
        self.estimator.uncalibrated_ = ""

    def reliability(self, X: Any, y: Any = None) -> tuple[Reliability, ...]:
        from riata.confidence.calibration import reliability
        from riata.data.types import inputs_of

        self.estimator._check_fitted()
        data = self.columns.with_gold(X, y)
        ids, values = self.confidence_ids(inputs_of(data))
        return tuple(
            reliability(of[judged.tokens], judged.right)
            for of, judged in zip(values, self.judged(data, ids), strict=True)
        )

    def abstaining(self, ids: Ids, values: Values, least: float) -> list[list[str | None]]:
        """Labels, output by output, without those of less confidence: a chunk becomes O, a tag None."""
        from riata.data.encodings.base import OUTSIDE

        found: list[list[str | None]] = []
        for column, of, chunks in zip(self.labels.output_columns(ids), values, self.labels.chunk_outputs, strict=True):
            unsure = (of < least) & (~_outside(column) if chunks else True)
            nothing = OUTSIDE if chunks else None
            labels = [nothing if out else text for text, out in zip(column.texts(), unsure, strict=True)]
            found.append(self._touching_nothing(labels, unsure) if chunks else labels)
        return found

    def _touching_nothing(self, labels: list[str | None], dropped: Rights) -> list[str | None]:
        """After a chunk has been left out, the next chunk is no longer written as touching it."""
        tags = self.labels.tags()
        assert tags is not None
        for i in np.flatnonzero(dropped[:-1] & ~dropped[1:]) + 1:
            if not tags.data.may_start(label := str(labels[i])):
                labels[i] = f"{tags.data.chunk.first}-{tags.data.split(label)[1]}"
        return labels

    def weighed(self, corpus: Corpus, temperatures: list[float]) -> tuple[Ids, Values]:
        """Label ids of the model, and confidences at every temperature: [temperatures, outputs, N]."""
        model = self.model
        return model.confidences(corpus, self._decoder(), temperatures, chunks=self.estimator.chunks)

    def judged(self, data: Corpus, ids: Ids) -> list[JudgedUnits]:
        """The predictions of each output, and whether they are right."""
        from riata.confidence.calibration import units

        rows = zip(
            self.labels.output_columns(ids), self.columns.gold_columns(data), self.labels.chunk_outputs, strict=True
        )
        found = [units(column.texts(), gold.texts(), data.starts, chunks=chunks) for column, gold, chunks in rows]
        if any(len(each.tokens) == 0 for each in found):
            raise DataError("no chunk is predicted here, so there is nothing to judge confidence by.", file=data.name)
        return found


def _first_half(judged: JudgedUnits, document: Ids | None) -> Rights:
    """Every other sentence or, where documents are marked, every other document, if that leaves at least a quarter on either side."""
    if document is not None:
        _, rank = np.unique(document[judged.sentences], return_inverse=True)
        half: Rights = rank % 2 == 0
        if 0.25 <= half.mean() <= 0.75:
            return half
    return np.asarray(judged.sentences % 2 == 0)


def _calibrated(
    judge: Judge,
    judged: JudgedUnits,
    method: str,
    output: str,
    document: Ids | None = None,
    present: Calibration | None = None,
) -> Calibrated:
    """Fitted to all predictions; judged in two halves, each by a fit to the other half.

    document: [S] the document of each sentence; None: no documents are marked. present: the calibration before.
    """
    from riata.confidence.calibration import UNCALIBRATED, Calibrated, fitted, reliability

    first = present or UNCALIBRATED
    before, right = first.corrected(judge([first.temperature])[0]), judged.right
    after = np.empty_like(before)
    half = _first_half(judged, document)
    for part in (half, ~half):
        if not part.any() or part.all():
            raise DataError("one sentence with predictions is too little to calibrate on.", remedy="Give more data.")

        def of_the_other(temperatures: list[float], other: Rights = ~part) -> Values:
            return judge(temperatures)[:, other]

        fit = fitted(of_the_other, right[~part], method)
        after[part] = fit.corrected(judge([fit.temperature])[0][part])
    calibration = fitted(judge, right, method)
    return Calibrated(output, calibration, reliability(before, right), reliability(after, right))


def _outside(column: Column) -> Rights:
    """Whether each token is outside all chunks."""
    from riata.data.encodings.base import OUTSIDE

    return np.array([text == OUTSIDE for text in column.alphabet.texts()], bool)[column.ids]


def check_least(least: float) -> None:
    if isinstance(least, bool) or not isinstance(least, (int, float)) or not 0 <= least <= 1:
        raise SettingError(f"min_confidence is {printed(least)}; expected a number from 0 to 1.")
