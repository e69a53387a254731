"""Scores of lists of labels: those of the estimators, of scikit-learn and of sklearn-crfsuite."""

from __future__ import annotations

import builtins
from dataclasses import replace

import numpy as np
import pytest

import riata
from riata import metrics
from riata.errors import DataError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore:Labels seen fewer:riata.RiataWarning")
GOLD = [["B-NP", "I-NP", "O"], ["B-VP"], ["B-NP", "B-NP"]]
FOUND = [["B-NP", "I-NP", "O"], ["B-NP"], ["B-NP", "I-NP"]]


def test_spans_are_counted_as_the_estimators_count_them() -> None:
    assert metrics.span_precision_score(GOLD, FOUND) == pytest.approx(1 / 3)
    assert metrics.span_recall_score(GOLD, FOUND) == pytest.approx(1 / 4)
    assert metrics.span_f1_score(GOLD, FOUND) == pytest.approx(2 / 7)
    test = riata.load("embedded", "test")
    chunker = riata.Chunker(epochs=1).fit(riata.load("embedded", "train"))
    found = chunker.predict(test)
    assert metrics.span_f1_score(test.sentences_of(2), found) == pytest.approx(chunker.score(test))
    assert str(metrics.span_report(test.sentences_of(2), found)) == str(replace(chunker.evaluate(test), document=None))


def test_flat_scores_are_those_of_sklearn_crfsuite() -> None:
    theirs = pytest.importorskip("sklearn_crfsuite.metrics")
    options = {"average": "weighted", "labels": ["B-NP", "I-NP"]}
    for name in ("flat_precision_score", "flat_recall_score", "flat_f1_score"):
        assert getattr(metrics, name)(GOLD, FOUND, **options) == getattr(theirs, name)(GOLD, FOUND, **options)
    assert metrics.flat_fbeta_score(GOLD, FOUND, 2, **options) == theirs.flat_fbeta_score(GOLD, FOUND, 2, **options)
    assert metrics.flat_accuracy_score(GOLD, FOUND) == theirs.flat_accuracy_score(GOLD, FOUND) == 4 / 6
    report = {"labels": ["B-NP", "I-NP"], "digits": 3}
    assert metrics.flat_classification_report(GOLD, FOUND, **report) == theirs.flat_classification_report(
        GOLD, FOUND, **report
    )
    assert metrics.sequence_accuracy_score(GOLD, FOUND) == pytest.approx(1 / 3)


def test_arrays_of_lists_are_taken_as_lists() -> None:
    pytest.importorskip("sklearn")
    found = np.empty(len(FOUND), object)
    found[:] = FOUND
    assert metrics.span_f1_score(GOLD, found) == metrics.span_f1_score(GOLD, FOUND)
    assert metrics.flat_accuracy_score(GOLD, found) == metrics.flat_accuracy_score(GOLD, FOUND)
    assert metrics.sequence_accuracy_score(GOLD, found) == metrics.sequence_accuracy_score(GOLD, FOUND)


@pytest.mark.parametrize("name", [name for name in metrics.__all__ if name != "flat_fbeta_score"])
def test_labels_that_do_not_fit_are_refused(name: str) -> None:
    score = getattr(metrics, name)
    with pytest.raises(DataError, match="sentence 1 has 1 tokens and 2 labels"):
        score([["O"], ["O"]], [["O"], ["O", "O"]])
    with pytest.raises(DataError, match="found 1 lists of labels for 2 sentences"):
        score([["O"], ["O"]], [["O"]])


def test_without_scikit_learn_flat_scores_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    known = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return known(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnsupportedError, match="scikit-learn"):
        metrics.flat_f1_score(GOLD, FOUND)
    assert metrics.span_f1_score(GOLD, FOUND) > 0


def test_an_evaluation_prints_its_table() -> None:
    evaluation = metrics.span_report(GOLD, FOUND)
    text = str(evaluation)
    for part in ("precision", "recall", "F1", "NP", "VP", "all", "33.33", "28.57", "95 % interval"):
        assert part in text
    assert repr(evaluation) == "<Evaluation of 3 sentences: precision 33.33, recall 25.00, f1 28.57, accuracy 66.67>"
    assert "accuracy" in str(riata.Tagger(epochs=1).fit([["a", "b"]], [["A", "B"]]).evaluate([["a"]], [["A"]]))
