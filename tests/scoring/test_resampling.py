"""Intervals and tests by document: sums of rows, whatever the order of sentences, and sentences where documents are few."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata import Chunker, JointTagger
from riata.scoring import bootstrap_interval, f1_of, paired_test
from riata.scoring.evaluation import evaluate
from riata.scoring.figures import Figure, Sample
from riata.scoring.resampling import FEWEST, units_of

numbers = st.lists(st.integers(0, 30), min_size=1, max_size=60)


@given(numbers, st.integers(0, 2**32))
def test_rows_of_documents_are_sums_of_rows_of_sentences(document, seed):
    rows = np.random.default_rng(seed).integers(9, size=(len(document), 3))
    units = units_of(np.array(document, np.int32), len(rows))
    sums = units.sums(rows)
    assert (sums.sum(axis=0) == rows.sum(axis=0)).all()
    names = sorted(set(document))
    if len(names) < FEWEST:
        assert (sums == rows).all()
        assert str(units).startswith(f"sentences; only {len(names)} document")
    else:
        expected = [sum(rows[i] for i, of in enumerate(document) if of == name) for name in names]
        assert sums.tolist() == np.array(expected).tolist()
        assert str(units) == f"{len(names)} documents"


@given(numbers, st.integers(0, 2**32))
def test_the_order_of_sentences_changes_nothing(document, seed):
    random = np.random.default_rng(seed)
    rows, of = random.integers(9, size=(len(document), 2)), np.array(document, np.int32)
    order = random.permutation(len(document))
    units, moved = units_of(of, len(of)), units_of(of[order], len(of))
    if units.of is not None:
        assert (units.sums(rows) == moved.sums(rows[order])).all()


def test_without_documents_sentences_are_resampled():
    units = units_of(None, 3)
    rows = np.arange(6).reshape(3, 2)
    assert units.sums(rows) is rows
    assert str(units) == "sentences"
    assert str(units_of(np.zeros(3, np.int32), 3)) == "sentences; only 1 document"


def scored(document, wrong):
    """Sentences of one token, of which those in these documents are wrong."""
    labels = ["A", "B"]
    gold = np.zeros(len(document), np.int32)
    found = np.isin(document, wrong).astype(np.int32)
    evaluation = evaluate(labels, gold, found, np.arange(len(gold) + 1), chunks=False)
    return replace(evaluation, document=np.asarray(document, np.int32))


def test_errors_that_go_together_make_intervals_wider_and_tests_less_sure():
    """Twenty documents of thirty sentences, each all right or all wrong: twenty samples, not six hundred."""
    document = np.repeat(np.arange(20), 30)
    better, worse = scored(document, [0, 1, 2]), scored(document, [0, 1, 2, 3, 4])
    by_sentence = replace(better, document=None)
    assert better.score == by_sentence.score == 85
    assert len(better.resampled) == 20
    assert better.interval() == bootstrap_interval(better.statistic, better.resampled)
    assert better.interval().estimate == pytest.approx(85)
    narrow, wide = by_sentence.interval(), better.interval()
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)
    assert paired_test(better.statistic, better.rows, worse.rows).p_value < 0.001
    assert paired_test(better.statistic, better.resampled, worse.resampled).p_value > 0.4
    assert Figure((Sample.of(better),)).interval == (wide.low, wide.high)
    difference = Figure((Sample.of(better),)).minus(Figure((Sample.of(worse),)))
    assert difference.interval[0] == pytest.approx(0)
    assert "bootstrap over 20 documents" in str(better)
    assert "bootstrap over 20 documents" in better._repr_html_()
    assert "bootstrap over sentences)" in str(by_sentence)


def test_estimators_and_compare_models_resample_documents():
    train = riata.load("embedded", "train")
    data = riata.in_documents(train, np.arange(len(train)) // 20)
    one = Chunker(epochs=1).fit(train[:100])
    other = Chunker(epochs=1, template="classic").fit(train[:100])
    first, second = one.evaluate(data), other.evaluate(data)
    assert first.resampled.shape == (18, 5)
    changes = riata.compare_models(one, other, data)
    assert changes.scores[0].p_value == paired_test(f1_of, second.resampled, first.resampled).p_value
    assert changes.to_dict()["resampled"] == "18 documents"
    assert "of 18 documents" in str(changes).replace("\n", " ")
    joint = JointTagger(epochs=1).fit(train[:50])
    assert len(joint.evaluate(data).resampled) == 18
    assert riata.compare_models(joint, joint, data).resampled == "18 documents"
    reordered = data[np.random.default_rng(0).permutation(len(data))]
    assert one.evaluate(reordered).interval() == first.interval()
