"""Scores of lists of labels and of tags: those of the estimators, of scikit-learn, and by hand; numbers over seeds."""

import builtins
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import riata
from checks import refused
from riata import Chunker, Tagger, metrics
from riata.errors import DataError, UnsupportedError
from riata.scoring.accuracy import count_tags, sentence_accuracy, sentence_accuracy_of, tag_report, token_accuracy
from riata.scoring.counts import accuracy_of
from riata.scoring.figures import Figure, Sample
from riata.scoring.significance import bootstrap_interval
from riata.scoring.spans import f1_of

GOLD = [["B-NP", "I-NP", "O"], ["B-VP"], ["B-NP", "B-NP"]]
FOUND = [["B-NP", "I-NP", "O"], ["B-NP"], ["B-NP", "I-NP"]]


def test_spans_are_counted_as_the_estimators_count_them() -> None:
    assert metrics.span_precision_score(GOLD, FOUND) == pytest.approx(1 / 3)
    assert metrics.span_recall_score(GOLD, FOUND) == pytest.approx(1 / 4)
    assert metrics.span_f1_score(GOLD, FOUND) == pytest.approx(2 / 7)
    test = riata.load("embedded", "test")
    chunker = Chunker(epochs=1).fit(riata.load("embedded", "train"))
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
    refused(DataError, "sentence 1 has 1 tokens and 2 labels", score, [["O"], ["O"]], [["O"], ["O", "O"]])
    refused(DataError, "found 1 lists of labels for 2 sentences", score, [["O"], ["O"]], [["O"]])


def test_without_scikit_learn_flat_scores_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    known = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return known(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    refused(UnsupportedError, "scikit-learn", metrics.flat_f1_score, GOLD, FOUND)
    assert metrics.span_f1_score(GOLD, FOUND) > 0


def test_an_evaluation_prints_its_table() -> None:
    evaluation = metrics.span_report(GOLD, FOUND)
    text = str(evaluation)
    for part in ("precision", "recall", "F1", "NP", "VP", "all", "33.33", "28.57", "95 % interval"):
        assert part in text
    assert repr(evaluation) == "<Evaluation of 3 sentences: precision 33.33, recall 25.00, f1 28.57, accuracy 66.67>"
    assert "accuracy" in str(Tagger(epochs=1).fit([["a", "b"]], [["A", "B"]]).evaluate([["a"]], [["A"]]))


# --- tag scores against loops over tokens, and by hand ---------------------------------------------------------------
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
    refused(ValueError, "unpack", f1_of, np.zeros(4))


def test_outputs_of_different_lengths_are_refused():
    refused(DataError, "2 gold labels, but 1 predicted", token_accuracy, np.array([0, 1]), np.array([0]))
    refused(DataError, "Sentence starts", sentence_accuracy, np.array([0, 1]), np.array([0, 1]), np.array([0, 3]))
    refused(DataError, "Label id 4", count_tags, LABELS, np.array([4]), np.array([0]), np.array([0, 1]))


# --- numbers over seeds: their intervals, their differences, and what may be concluded from them ---------------------
VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=6)


def rate(sums):
    return 100 * sums[..., 0] / sums[..., 1]


def scored(seed, share):
    """A score of 200 sentences of 10 tokens each."""
    random = np.random.default_rng(seed)
    counts = np.stack([random.binomial(10, share, 200), np.full(200, 10)], axis=1)
    return Sample(float(rate(counts.sum(axis=0))), counts, rate)


@settings(deadline=None)
@given(VALUES)
def test_several_seeds_have_the_interval_of_student(values):
    figure = Figure.of(*values)
    assert figure.mean == pytest.approx(np.mean(values))
    if np.std(values) > 1e-6:
        expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert figure.interval == pytest.approx(expected)


def test_one_seed_has_the_interval_of_its_sentences():
    sample = scored(0, 0.9)
    low, high = Figure((sample,)).interval
    assert (low, high) == bootstrap_interval(rate, sample.counts)[1:3]
    assert low < sample.value < high
    assert Figure.of(3.0).interval is None


@pytest.mark.parametrize("sentences", [False, True])
def test_a_score_has_no_interval_past_100_per_cent(sentences):
    counts = [np.array([[right, 10]] * 20) for right in (10, 10, 9)]
    samples = tuple(Sample(float(accuracy_of(one.sum(axis=0))), one, accuracy_of) for one in counts)
    low, high = Figure(samples, sentences).interval
    assert [sample.value for sample in samples] == [100, 100, 90] and 0 < low < 90 and high == 100
    difference = Figure(samples, sentences).minus(Figure(samples[::-1], sentences))
    assert difference.interval[0] < -10


def test_a_difference_is_that_of_the_same_sentences():
    """Outputs that err on the same sentences differ by less than their intervals say."""
    a = scored(0, 0.9)
    better = a.counts.copy()
    better[:20, 0] = np.minimum(better[:20, 0] + 1, 10)
    b = Sample(float(rate(better.sum(axis=0))), better, rate)
    difference = Figure((b,)).minus(Figure((a,)))
    assert difference.mean == pytest.approx(b.value - a.value)
    low, high = difference.interval
    assert 0 < low < difference.mean < high
    assert Figure((a,)).interval[1] > b.value  # as single scores they could not be told apart


def test_seeds_are_paired_too():
    assert Figure.of(90, 95, 99).minus(Figure.of(89, 94, 98)).interval == pytest.approx((1, 1))
    refused(ValueError, "zip", Figure.of(1, 2).minus, Figure.of(1))


@settings(deadline=None)
@given(st.lists(VALUES.filter(lambda v: len(v) >= 3).map(lambda v: v[:3]), min_size=1, max_size=4))
def test_the_mean_of_figures_is_taken_seed_by_seed(rows):
    found = Figure.mean_of([Figure.of(*values) for values in rows])
    assert found.values == pytest.approx(np.mean(rows, axis=0))


def test_the_mean_of_scores_knows_its_sentences():
    samples = [scored(0, 0.9), scored(1, 0.8), scored(2, 0.7)]
    found = Figure.mean_of([Figure((sample,)) for sample in samples])
    both = found.samples[0]
    assert both.statistic(both.counts.sum(axis=0)) == pytest.approx(np.mean([sample.value for sample in samples]))
    weights = np.random.default_rng(5).integers(0, 3, (4, 200))
    expected = np.mean([rate(weights @ sample.counts) for sample in samples], axis=0)
    assert both.statistic(weights @ both.counts) == pytest.approx(expected)
    assert Figure.mean_of([Figure((samples[0],)), Figure.of(50.0)]).interval is None


def test_a_ratio_is_never_below_zero():
    ratio = Figure.of(11.0, 5.0, 22.0).over(Figure.of(12.0, 20.0, 3.0))
    low, high = ratio.interval
    assert 0 < low < ratio.mean < high
    other = Figure.of(12.0, 20.0, 3.0).over(Figure.of(11.0, 5.0, 22.0))
    assert other.mean == pytest.approx(1 / ratio.mean) and other.interval == pytest.approx((1 / high, 1 / low))
