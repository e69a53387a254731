"""How good predictions are, and whether the model or the search is the cause of wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata.data.types import Column, Corpus, Ids
from riata.errors import SettingError, shortened
from riata.estimators.labels import Part
from riata.estimators.notes import warn_of, warn_text

if TYPE_CHECKING:
    from riata.scoring.evaluation import Evaluation
    from riata.scoring.search_errors import SearchErrors


class Evaluating(Part):
    """Compares predictions with gold labels."""

    def learnt_by(self) -> dict[str, str]:
        """The recipe and the structure."""
        from riata.choosing.options import choice_of

        choice = choice_of(self.estimator, training=False)
        return {"recipe": choice.recipe.name, "structure": choice.structure.name}

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        from riata.choosing.sample_weight import sentence_weights

        evaluation = self.evaluate(X, y)
        weights = sentence_weights(sample_weight, len(evaluation.rows))
        rows = evaluation.rows * weights[:, None] if len(weights) else evaluation.rows
        return float(evaluation.statistic(rows.sum(axis=0))) / 100

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        from riata.data.types import inputs_of

        model = self.model
        data = self.columns.with_gold(X, y)
        if predicted is None:
            labels = model.predict(inputs_of(data), self.estimator.predicting.decoder())
            predicted = self.labels.as_classes(labels, data.starts)
        if len(getattr(predicted, "shape", ())) != 1 or len(predicted) != data.tokens:
            raise SettingError(
                f"predicted is a {type(predicted).__name__}; expected the numbers that predict_ids returns for these sentences.",
                remedy="Leave it out, or give the result of predict_ids.",
            )
        self._tell_of_new_labels(data, predicted)
        self._tell_of_illegal_labels(data)
        return replace(self.labels.evaluated(data.columns[-1], predicted, data.starts), document=data.document)

    def _tell_of_new_labels(self, data: Corpus, predicted: Ids) -> None:
        """Warns of gold labels that the model cannot give."""
        both = zip(self.columns.gold_columns(data), self.labels.output_columns(predicted), strict=True)
        new = [
            text
            for gold, found in list(both)[self.estimator.trees :]  # any token may be a head
            for text in gold.alphabet.texts_of(gold.used())
            if found.alphabet.find(text) < 0
        ]
        if new:
            from riata.learning.labels import listed

            warn_text(shortened(f"Gold labels that the model cannot give, which count as wrong: {listed(new)}."))

    def _tell_of_illegal_labels(self, data: Corpus) -> None:
        """Warns of gold chunks that are not written in the encoding of the model, as training does."""
        from riata.learning.labels import illegal_note

        tags = self.labels.tags()
        if tags is None:
            return
        for gold, chunks in zip(self.columns.gold_columns(data), self.labels.chunk_outputs, strict=True):
            if not chunks or not all(map(tags.data.is_tag, gold.alphabet.texts_of(gold.used()))):
                continue  # labels that the model cannot give
            wrong = tags.data.violations(gold.alphabet.texts(), gold.ids, data.starts)
            if len(wrong):
                warn_of(illegal_note(replace(data, columns=(*data.columns[:-1], gold)), tags.data, len(wrong)))

    def gold_and_found(self, X: Any, y: Any = None) -> tuple[Corpus, Sequence[Column], Sequence[Column]]:
        """The columns that the model reads, the gold labels, and the predicted labels; the last two with one column per output."""
        from riata.data.types import inputs_of

        model, data = self.model, self.columns.with_gold(X, y)
        inputs = inputs_of(data)
        predicting = self.estimator.predicting
        ids = self.labels.as_classes(
            model.predict(inputs, predicting.decoder(), predicting.used_threads()), data.starts
        )
        return inputs, self.columns.gold_columns(data), self.labels.output_columns(ids)

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        from riata.data.types import inputs_of
        from riata.scoring.search_errors import split_errors

        model = self.model
        data = self.columns.with_gold(X, y)
        truth = self.labels.label_ids(self.labels.learnt_column(data.columns[-1], data.starts))
        found = None if predicted is None else self.labels.as_labels(predicted, data.starts)
        return split_errors(model, inputs_of(data), found, truth, self.estimator.predicting.decoder())

    def best_output(self, corpus: Corpus) -> list[Any] | None:
        """The labels of one sentence with the highest score of all that keep constraints, whatever the queue finds.

        None if exact search is too costly.
        """
        from riata.scoring.search_errors import best_labels

        model, inputs = self.model, self.columns.input_columns(self.columns.sentences(corpus))
        kept = self.estimator.predicting.decoder().kept
        anew = None if kept is None else kept.counted_anew()
        best = best_labels(model, inputs, model.features.instances(inputs), anew)
        return None if best is None else self.labels.as_outputs(self.labels.as_classes(best, inputs.starts))
