"""Predictions as spans: of characters where the input is text, of tokens otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riata.data.encodings.base import are_chunk_labels, is_extended, spans_of
from riata.data.types import PerSentence
from riata.errors import DataError, UnsupportedError

if TYPE_CHECKING:
    from riata.data.json_lines.splitting import Places
    from riata.data.running_text import Tokenizer
    from riata.estimators.sequence import SequenceEstimator


@dataclass(frozen=True)
class FoundSpan:
    """A predicted span: characters of a text, or tokens of a sentence, from start to end - 1.

    >>> riata.FoundSpan(0, 4, "PER", "Anna").label
    'PER'
    """

    start: int
    end: int
    label: str
    text: str | None = None  # None: the tokens have no words
    confidence: float | None = None  # None: not asked for, or the model is not calibrated


def found_spans(
    estimator: SequenceEstimator, X: Any, tokenizer: Tokenizer | None, confidence: bool | None
) -> list[list[FoundSpan]]:
    """As `predict_spans` of estimators describes it."""
    if estimator.trees or estimator.file_format is not None:
        raise UnsupportedError(
            "Spans are for tags and chunks; this estimator finds trees or roles.", remedy="Use predict."
        )
    if isinstance(X, str):
        raise DataError("expected a list of texts, found one.", remedy="Put it into a list: predict_spans([text]).")
    texts: list[str] = []
    places: list[Places] = []
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], str):
        texts = list(X)
        X, places = _split(estimator, texts, tokenizer)
    labels = [list(map(_last, sentence)) for sentence in estimator.predict(X)]
    asked = estimator.confidence.believable if confidence is None else confidence
    sure = [list(map(_last, sentence)) for sentence in estimator.predict_confidence(X)] if asked else None
    chunks = chunk_outputs(estimator)[-1]
    extended = is_extended(map(_last, estimator.classes_))
    words = None if texts else _words(estimator, X, len(labels))
    found: list[list[FoundSpan]] = PerSentence()
    for s, tags in enumerate(labels):
        spans = spans_of(tags, extended=extended) if chunks else [(i, i + 1, tag) for i, tag in enumerate(tags)]
        made = []
        for first, end, label in spans:
            value = None if sure is None else sure[s][first]
            if texts:
                start, stop = places[s][first][0], places[s][end - 1][1]
                made.append(FoundSpan(start, stop, label, texts[s][start:stop], value))
            else:
                text = None if words is None else " ".join(words[s][first:end])
                made.append(FoundSpan(first, end, label, text, value))
        found.append(made)
    return found


def chunk_outputs(estimator: SequenceEstimator) -> tuple[bool, ...]:
    """Which outputs are chunk labels: those of tasks of chunks, and plain tags that look like them."""
    if len(estimator.labels.chunk_outputs) == 1 and not estimator.chunks:
        return (are_chunk_labels(estimator.classes_),)
    return estimator.labels.chunk_outputs


def _split(
    estimator: SequenceEstimator, texts: list[Any], tokenizer: Tokenizer | None
) -> tuple[list[list[str]], list[Places]]:
    """The words of texts, and their places."""
    from riata.data.json_lines.splitting import places_of, words_and_marks

    words = estimator.split_text(texts, tokenizer or words_and_marks)
    return words, [places_of(text, each) for text, each in zip(texts, words, strict=True)]


def _last(label: Any) -> Any:
    """Of several outputs the last, which is that of chunks."""
    return label[-1] if isinstance(label, tuple) else label


def _words(estimator: SequenceEstimator, X: Any, sentences: int) -> Sequence[Sequence[str]] | None:
    from riata.data.memory import is_empty

    if is_empty(X):
        return [[] for _ in range(sentences)]
    corpus = estimator.columns.data_columns(estimator.columns.sentences(X))
    return corpus.sentences_of(0) if corpus.width else None
