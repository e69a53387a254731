"""Scores of parts of a corpus: seen and unseen words, short and long sentences and spans, rare and frequent words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.analysis.outputs import JudgedOutputs
from riata.data.types import Span
from riata.errors import UnsupportedError
from riata.scoring.counts import f1, percent

Groups = NDArray[np.int64]  # [N] the part that a token belongs to
SENTENCE_LENGTHS = (5, 10, 20, 30, 40)  # the last of each class; longer ones are the last class
SPAN_LENGTHS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Slice:
    """One part. tokens and spans: None where the part has none of its own."""

    name: str
    tokens: int | None
    right: dict[str, int]  # tokens whose tag or chunk label is right, by output
    gold: int | None
    found: int | None
    correct: int | None

    def accuracy(self, output: str) -> float | None:
        return None if not self.tokens else float(percent(self.right[output], self.tokens))

    @property
    def f1(self) -> float | None:
        if self.gold is None or self.found is None or self.correct is None or not self.gold + self.found:
            return None
        return float(f1(self.correct, self.found, self.gold))

    def to_dict(self) -> dict[str, Any]:
        accuracies = {kind: self.accuracy(kind) for kind in self.right} if self.tokens is not None else None
        return {
            "tokens": self.tokens,
            "accuracy": accuracies,
            "gold": self.gold,
            "found": self.found,
            "correct": self.correct,
            "f1": self.f1,
        }


def _sliced(
    data: JudgedOutputs, names: Sequence[str], groups: Groups | None, group_of: Callable[[int, Span], int], model: int
) -> tuple[Slice, ...]:
    """groups: of tokens. group_of: of a span, given its sentence. Parts with nothing in them are left out."""
    size = len(names)
    tokens = [0] * size if groups is None else np.bincount(groups, minlength=size).tolist()
    right = {}
    if groups is not None:
        for output in data.outputs:
            right[output.kind] = np.bincount(groups[output.right(model)], minlength=size).tolist()
    spans = np.zeros((3, size), np.int64)
    chunks = data.output("chunk")
    if chunks is not None:
        for s, (gold, found) in enumerate(zip(chunks.gold_spans, chunks.found_spans[model], strict=True)):
            for row, part in enumerate((gold, found, set(gold) & set(found))):
                for span in part:
                    spans[row, group_of(s, span)] += 1
    return tuple(
        Slice(
            name,
            None if groups is None else tokens[i],
            {kind: counts[i] for kind, counts in right.items()},
            *((None, None, None) if chunks is None else spans[:, i].tolist()),
        )
        for i, name in enumerate(names)
        if tokens[i] or spans[:, i].any()
    )


def by_sentence_length(data: JudgedOutputs, model: int = 0) -> tuple[Slice, ...]:
    of_sentence = np.searchsorted(SENTENCE_LENGTHS, data.lengths)
    groups = np.repeat(of_sentence, data.lengths)
    return _sliced(data, _ranges(SENTENCE_LENGTHS), groups, lambda s, span: int(of_sentence[s]), model)


def by_span_length(data: JudgedOutputs, model: int = 0) -> tuple[Slice, ...]:
    def group_of(s: int, span: Span) -> int:
        return int(np.searchsorted(SPAN_LENGTHS, span.end - span.start))

    return _sliced(data, _ranges(SPAN_LENGTHS), None, group_of, model)


def by_seen(data: JudgedOutputs, vocabulary: Vocabulary, model: int = 0) -> tuple[Slice, ...]:
    """A span is unseen when one of its words is."""
    unseen = [[int(word not in vocabulary.words) for word in sentence] for sentence in data.words]
    return _sliced(data, ("seen", "unseen"), _flat(unseen), _most(unseen, max), model)


def by_frequency(data: JudgedOutputs, vocabulary: Vocabulary, model: int = 0) -> tuple[Slice, ...]:
    """Classes by powers of two of how often a word was in the training data. A span has the class of its rarest word."""
    counts = vocabulary.counts or {}
    classes = [[counts.get(word, 0).bit_length() for word in sentence] for sentence in data.words]
    top = max((number for sentence in classes for number in sentence), default=0)
    names = ["never", "once", *(f"{2**k}–{2 ** (k + 1) - 1} times" for k in range(1, top))]
    return _sliced(data, names, _flat(classes), _most(classes, min), model)


def _most(values: Sequence[Sequence[int]], choose: Callable[[Sequence[int]], int]) -> Callable[[int, Span], int]:
    return lambda s, span: choose(values[s][span.start : span.end])


def _flat(values: Sequence[Sequence[int]]) -> Groups:
    return np.array([value for sentence in values for value in sentence], np.int64)


def _ranges(ends: Sequence[int]) -> list[str]:
    """Names of classes that end with these numbers, and of the one after them."""
    firsts = [1, *(end + 1 for end in ends)]
    named = [str(low) if low == high else f"{low}–{high}" for low, high in zip(firsts, ends, strict=False)]
    return [*named, f"{firsts[-1]} or more"]


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
