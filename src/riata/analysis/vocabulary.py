"""Which words a model has seen in training, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riata.errors import UnsupportedError

WORD = ("identity", 0)  # the attribute that is the word itself, and its column


@dataclass(frozen=True, eq=False)
class Vocabulary:
    counts: Mapping[str, int] | None  # by word; None: it is only known which were seen
    words: frozenset[str]
    source: str  # where this is known from

    @classmethod
    def of_training(cls, estimator: Any, train: Any) -> Vocabulary:
        """The words of training data: their first column that the model reads."""
        corpus = estimator.columns.input_columns(estimator.columns.sentences(train))
        if not corpus.width:
            raise UnsupportedError(
                "the training data are features, not words: there is no telling which words were seen.",
                remedy="Leave out train.",
            )
        counts = Counter(corpus.columns[0].texts())
        return cls(counts, frozenset(counts), f"words of {Path(corpus.name).name}")

    @classmethod
    def of_model(cls, estimator: Any) -> Vocabulary | None:
        """The words that the model's features know; None where it keeps none, as with hashed features."""
        features = estimator.model_.features
        if features.bits:
            return None
        for attribute, alphabet in zip(features.program.attributes, features.alphabets, strict=True):
            if attribute == WORD:
                return cls(None, frozenset(alphabet.texts()), "words that the model's features know")
        return None
