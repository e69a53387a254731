"""How good predictions are, and whether the model or the search is the cause of wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import SettingError, shortened
from riata.estimators.notes import warn_text
from riata.estimators.predicting import Predicting

if TYPE_CHECKING:
    from riata.scoring.evaluation import Evaluation
    from riata.scoring.search_errors import SearchErrors


class Judging(Predicting):
    """Compares predictions with gold labels."""

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The task's main score, from 0 to 1: span F1 as conlleval counts it for chunks, accuracy for tags."""
        from riata.choosing.sample_weight import sentence_weights

        evaluation = self.evaluate(X, y)
        weights = sentence_weights(sample_weight, len(evaluation.rows))
        rows = evaluation.rows * weights[:, None] if len(weights) else evaluation.rows
        return float(evaluation.statistic(rows.sum(axis=0))) / 100

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        """Everything about the predictions for these sentences: report per type, metrics in per cent, and intervals, which are over whole
        documents if at least ten are marked.

        predicted: the result of predict_ids for them, if it is known already.
        """
        from riata.data.memory import inputs_of

        model = self._check_fitted()
        data = self._with_gold(X, y)
        if predicted is None:
            predicted = self._as_classes(model.predict(inputs_of(data), self.decoder()), data.starts)
        if len(getattr(predicted, "shape", ())) != 1 or len(predicted) != data.tokens:
            raise SettingError(
                f"predicted is a {type(predicted).__name__}; expected the numbers that predict_ids returns for these sentences.",
                remedy="Leave it out, or give the result of predict_ids.",
            )
        self._tell_of_new_labels(data, predicted)
        return replace(self._evaluated(data.columns[-1], predicted, data.starts), document=data.document)

    def _tell_of_new_labels(self, data: Corpus, predicted: Ids) -> None:
        """Warns of gold labels that the model cannot give."""
        both = zip(self._gold_columns(data), self.output_columns(predicted), strict=True)
        new = [
            text
            for gold, found in list(both)[self.trees :]  # any token may be a head
            for text in gold.alphabet.texts_of(gold.used())
            if found.alphabet.find(text) < 0
        ]
        if new:
            from riata.learning.labels import listed

            warn_text(shortened(f"Gold labels that the model cannot give, which count as wrong: {listed(new)}."))

    @classmethod
    def compared(cls, gold: Sequence[Column], found: Sequence[Column], starts: Starts) -> Evaluation:
        """Columns of labels against those of gold, one per output; no model is needed."""
        from riata.scoring.evaluation import evaluate

        both, half = Column.of([*gold[0].texts(), *found[0].texts()]), len(gold[0].ids)
        return evaluate(both.alphabet.texts(), both.ids[:half], both.ids[half:], starts, chunks=cls.chunks)

    def _evaluated(self, gold: Column, predicted: Ids, starts: Starts) -> Evaluation:
        from riata.scoring.evaluation import evaluate_column

        return evaluate_column(gold, predicted, self.classes_, starts, chunks=self.chunks)

    def gold_and_found(self, X: Any, y: Any = None) -> tuple[Corpus, Sequence[Column], Sequence[Column]]:
        """The columns that the model reads, the gold labels, and the predicted labels; the last two with one column per output."""
        from riata.data.memory import inputs_of

        model, data = self._check_fitted(), self._with_gold(X, y)
        inputs = inputs_of(data)
        labels = model.predict(inputs, self.decoder(), self.used_threads())
        return inputs, self._gold_columns(data), self.output_columns(self._as_classes(labels, data.starts))

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        """The cause of wrong sentences: the search alone, the model alone, or both (docs/learning-to-search.md).

        predicted: as for evaluate.
        """
        from riata.data.memory import inputs_of
        from riata.scoring.search_errors import split_errors

        model = self._check_fitted()
        data = self._with_gold(X, y)
        truth = self._label_ids(self._learnt_column(data.columns[-1], data.starts))
        found = None if predicted is None else self._as_labels(predicted, data.starts)
        return split_errors(model, inputs_of(data), found, truth, self.decoder())

    def best_output(self, corpus: Corpus) -> list[Any] | None:
        """The labels of one sentence with the highest score of all that keep constraints, whatever the queue finds.

        None if exact search is too costly.
        """
        from riata.scoring.search_errors import best_labels

        model, inputs = self._check_fitted(), self.input_columns(self.sentences(corpus))
        kept = self.decoder().kept
        anew = None if kept is None else kept.counted_anew()
        best = best_labels(model, inputs, model.features.instances(inputs), anew)
        return None if best is None else self._as_outputs(self._as_classes(best, inputs.starts))
