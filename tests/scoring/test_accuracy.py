"""Tag scores against loops over tokens, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata.errors import DataError
from riata.scoring.accuracy import (
    count_tags,
    sentence_accuracy,
    sentence_accuracy_of,
    tag_report,
    token_accuracy,
)
from riata.scoring.counts import accuracy_of
from riata.scoring.spans import f1_of

LABELS = ["DT", "NN", "VB", "UH"]
CORPORA = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5), max_size=6)


def arrays(corpus):
    tokens = np.array([pair for sentence in corpus for pair in sentence], np.int32).reshape(-1, 2)
    return tokens[:, 0], tokens[:, 1], np.cumsum([0, *map(len, corpus)])


@given(CORPORA)
def test_accuracies_equal_those_of_a_loop(corpus):
    pairs = [pair for sentence in corpus for pair in sentence]
    right = sum(g == p for g, p in pairs)
    whole = sum(all(g == p for g, p in sentence) for sentence in corpus)
    gold, predicted, starts = arrays(corpus)
    assert token_accuracy(gold, predicted) == pytest.approx(100 * right / max(1, len(pairs)))
    assert sentence_accuracy(gold, predicted, starts) == pytest.approx(100 * whole / max(1, len(corpus)))


@given(CORPORA)
def test_counts_give_the_same_accuracies_as_the_arrays(corpus):
    gold, predicted, starts = arrays(corpus)
    scores = tag_report(count_tags(LABELS, gold, predicted, starts))
    assert scores.accuracy == token_accuracy(gold, predicted)
    assert scores.sentence_accuracy == sentence_accuracy(gold, predicted, starts)
    assert (scores.tokens, scores.sentences) == (len(gold), len(corpus))


@given(CORPORA)
def test_every_token_is_one_found_and_one_gold_label(corpus):
    gold, predicted, starts = arrays(corpus)
    rows = tag_report(count_tags(LABELS, gold, predicted, starts)).rows
    assert sum(row.gold for row in rows) == sum(row.found for row in rows) == len(gold)
    assert sum(row.correct for row in rows) == sum(gold == predicted)


def test_a_tag_report_worked_by_hand():
    #            DT NN VB | NN    | DT NN
    gold = np.array([0, 1, 2, 1, 0, 1])
    predicted = np.array([0, 1, 1, 1, 0, 0])
    counts = count_tags(LABELS, gold, predicted, np.array([0, 3, 4, 6]))
    assert counts.rows().tolist() == [[2, 3, 0, 1], [1, 1, 1, 1], [1, 2, 0, 1]]
    scores = tag_report(counts)
    assert scores.accuracy == pytest.approx(400 / 6)
    assert scores.sentence_accuracy == pytest.approx(100 / 3)
    assert [tuple(row) for row in scores.rows] == [
        ("DT", pytest.approx(200 / 3), 100, pytest.approx(80), 2, 3, 2),
        ("NN", pytest.approx(200 / 3), pytest.approx(200 / 3), pytest.approx(200 / 3), 3, 3, 2),
        ("VB", 0, 0, 0, 1, 0, 0),
    ]


def test_statistics_of_sums_are_ratios():
    sums = np.array([[3.0, 4, 1, 2], [0, 0, 0, 0]])
    assert accuracy_of(sums).tolist() == [75, 0]
    assert sentence_accuracy_of(sums).tolist() == [50, 0]


def test_a_statistic_of_chunks_refuses_counts_of_tags():
    with pytest.raises(ValueError, match="unpack"):
        f1_of(np.zeros(4))


def test_outputs_of_different_lengths_are_refused():
    with pytest.raises(DataError, match="2 gold labels, but 1 predicted"):
        token_accuracy(np.array([0, 1]), np.array([0]))
    with pytest.raises(DataError, match="Sentence starts"):
        sentence_accuracy(np.array([0, 1]), np.array([0, 1]), np.array([0, 3]))
    with pytest.raises(DataError, match="Label id 4"):
        count_tags(LABELS, np.array([4]), np.array([0]), np.array([0, 1]))
