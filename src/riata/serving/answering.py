"""What a model says of sentences, as data for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from riata.data.encodings.base import is_extended, spans_of
from riata.serving.asking import Question

TAGS = "tags"  # what tags are called that are chosen beside two outputs


def names_of(estimator: Any) -> tuple[str, ...]:
    """What the outputs are called: labels, or tags and chunk_labels, or heads and relations."""
    called = estimator.labels.names
    return tuple(name.replace(" ", "_") for name in called)


class Answering:
    """Makes answers of one estimator."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.names = names_of(estimator)
        self._chunks = [name for name, chunks in zip(self.names, estimator.labels.chunk_outputs, strict=True) if chunks]
        self._extended = {}
        for at, name in enumerate(self.names):
            if name in self._chunks:
                classes = estimator.classes_
                labels = classes if len(self.names) == 1 else [pair[at] for pair in classes]
                self._extended[name] = is_extended(labels)

    def sentence(self, words: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
        """A sentence with its labels, and the chunks that they mean."""
        found = {"tokens": words, **self._columns(labels)}
        for name in self._chunks:
            found["spans"] = [
                {"start": start, "end": end, "label": label, "text": " ".join(words[start:end])}
                for start, end, label in spans_of(found[name], extended=self._extended[name])
            ]
        return found

    def _columns(self, labels: Sequence[Any]) -> dict[str, Any]:
        if len(self.names) == 1:
            return {self.names[0]: labels}
        columns = list(zip(*labels, strict=True))
        return {name: list(column) for name, column in zip((*self.names, TAGS)[: len(columns)], columns, strict=True)}

    def detailed(self, question: Question) -> list[dict[str, Any]]:
        """All that a question asks for; each is a search of its own."""
        ask, sentences = question.ask, question.sentences
        labels = self.estimator.predict(sentences, min_confidence=ask.min_confidence)
        found = [self.sentence(words, each) for words, each in zip(question.words, labels, strict=True)]
        if ask.confidence:
            name, tables = self._sure(sentences)
            for each, values in zip(found, tables, strict=True):
                self._add_sureness(each, name, values)
        if ask.nbest:
            listed = self.estimator.model_.outputs.lists_searched
            summed = ask.confidence and self.estimator.confidence.believable and not listed
            lists = self.estimator.predict_nbest(sentences, ask.nbest, probabilities=summed)
            number = "probability" if summed else "score"
            for each, ranked in zip(found, lists, strict=True):
                each["nbest"] = [{number: value, **self._listed(each["tokens"], own)} for own, value in ranked]
        if ask.trace:
            from riata.explaining.explain import searching

            shown, note = searching(self.estimator)
            found[0]["trace"] = {**shown.trace(sentences[0]).to_dict(), "note": note}
        return found

    def _listed(self, words: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
        found = self.sentence(words, labels)
        del found["tokens"]
        return found

    def _sure(self, sentences: list[Any]) -> tuple[str, list[Any]]:
        """How sure the model is of every token, and what this is called: confidence or, if this would mean little, margin."""
        if self.estimator.confidence.believable:
            return "confidence", self.estimator.predict_confidence(sentences)
        corpus = self.estimator.columns.sentences(sentences)
        columns = self.estimator.confidence.margins_of(corpus).T
        rows = columns[:, 0].tolist() if len(self.names) == 1 else list(map(tuple, columns.tolist()))
        return "margin", [rows[low:high] for low, high in pairwise(corpus.starts.tolist())]

    def _add_sureness(self, sentence: dict[str, Any], called: str, values: Sequence[Any]) -> None:
        """A token has the confidence, or the margin, of its chunk, or of its label."""
        sentence[called] = self._columns([_rounded(value) for value in values])
        for name in self._chunks:
            for span in sentence["spans"]:
                span[called] = sentence[called][name][span["start"]]


def _rounded(value: Any) -> Any:
    """NaN becomes None, which JSON has."""
    if isinstance(value, tuple):
        return tuple(map(_rounded, value))
    return None if math.isnan(value) else round(value, 6)
