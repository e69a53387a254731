"""Probabilities and weights by the names of labels and features, for one sentence or all, as users of sklearn-crfsuite know them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from riata.estimators.per_sentence import PerSentence

if TYPE_CHECKING:
    from riata.models.model import Model

Marginals = list[dict[Any, float]]  # for every token, probabilities by label


class ByLabel:
    """What estimators of sequences inherit (docs/coming-from.md)."""

    if TYPE_CHECKING:  # attributes that the estimator defines
        classes_: list[Any]

        def _check_fitted(self) -> Model: ...
        def predict(self, X: Any) -> list[list[Any]]: ...
        def predict_proba(self, X: Any, *, given: Any = None) -> list[np.ndarray]: ...

    def predict_single(self, sentence: Any) -> list[Any]:
        """The labels of one sentence."""
        return self.predict([sentence])[0]

    def predict_marginals(self, X: Any) -> PerSentence:
        """The probabilities of predict_proba by label: for every sentence a list of dictionaries, one per token."""
        return PerSentence(
            [dict(zip(self.classes_, row, strict=True)) for row in rows.tolist()] for rows in self.predict_proba(X)
        )

    def predict_marginals_single(self, sentence: Any) -> Marginals:
        """The probability of every label at every token of one sentence."""
        found: Marginals = self.predict_marginals([sentence])[0]
        return found

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights that are not zero, by feature and label, as learnt: {("word[0]=the", "B-NP"): 2.5}. For segments, by feature and
        type.
        """
        from riata.models.weights_by_name import by_name

        return {(weight.feature, weight.label): weight.weight for weight in by_name(self._check_fitted()).all_weights()}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of neighbouring labels that are not zero: {("B-NP", "I-NP"): 1.5}. For segments they are features:
        `label[-1]=NP`.
        """
        from riata.models.weights_by_name import by_name

        return by_name(self._check_fitted()).all_transitions()
